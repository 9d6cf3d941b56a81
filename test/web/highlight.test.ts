import { describe, expect, test } from 'bun:test'
import {
  grammarOfPath,
  grammarOfWord,
  highlightLines,
  languageCount,
  limits,
  markRanges,
} from '#web/highlight.ts'

const plain = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(
      /&(?:amp|lt|gt|quot|#x27|#39);/g,
      (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' })[entity] ?? "'",
    )

const balanced = (html: string): boolean => {
  let depth = 0
  for (const [tag] of html.matchAll(/<\/?[biu]\b[^>]*>/g)) {
    depth += tag.startsWith('</') ? -1 : 1
    if (depth < 0) return false
  }
  return depth === 0
}

describe('languages', () => {
  test('at least sixty are supported', () => expect(languageCount).toBeGreaterThanOrEqual(60))
  test('are found by name, extension and first line', () => {
    expect(grammarOfPath('src/a.b/main.RS')).toBe('rust')
    expect(grammarOfPath('Dockerfile')).toBe('dockerfile')
    expect(grammarOfPath('deep/Makefile')).toBe('makefile')
    expect(grammarOfPath('CMakeLists.txt')).toBe('cmake')
    expect(grammarOfPath('bin/run', '#!/usr/bin/env -S python3.11 -u')).toBe('python')
    expect(grammarOfPath('bin/run', '#!/bin/sh')).toBe('bash')
    expect(grammarOfPath('.gitignore')).toBe('bash')
    expect(grammarOfPath('nothing')).toBeNull()
    expect(grammarOfPath('a.constructor')).toBeNull()
    expect(grammarOfPath('__proto__')).toBeNull()
  })
  test('are found by the info string of a code block', () => {
    expect(grammarOfWord('TypeScript')).toBe('typescript')
    expect(grammarOfWord('c++')).toBe('cpp')
    expect(grammarOfWord('py')).toBe('python')
    expect(grammarOfWord('toString')).toBeNull()
    expect(grammarOfWord('nosuch')).toBeNull()
  })
})

describe('lines', () => {
  const samples: [string, string][] = [
    ['a.ts', 'const a = `x\n${b}\n</span><script>`\n/* one\n two\n*/\nlet c: string = "&lt;"\n'],
    ['a.py', 'def f():\n    """doc\n    <b>\n    """\n    return {"a": 1}\n'],
    ['a.html', '<!-- a\nb -->\n<p class="x">\n<script>let a = "<"\n</script>\n'],
    ['a.rs', 'fn main() {\n\n    let s = "a\n    b";\n}'],
    ['a.md', '# x\n\n```js\nlet a\n```\n'],
    ['a.sh', 'cat <<EOF\n<b>$HOME</b>\nEOF\n'],
  ]
  for (const [path, text] of samples) {
    test(`${path}: every line closes its spans and loses nothing`, () => {
      const lines = highlightLines(text, grammarOfPath(path))
      expect(lines.every(balanced)).toBe(true)
      expect(lines.map(plain).join('\n')).toBe(text.replace(/\n$/, ''))
      expect(lines.join('')).toMatch(/<[biu]\b/)
    })
  }
  test('empty lines in the middle and at the end are kept, the last newline is not a line', () => {
    expect(highlightLines('a\n\n\n', 'javascript').map(plain)).toEqual(['a', '', ''])
    expect(highlightLines('a\n\n\n', null)).toEqual(['a', '', ''])
    expect(highlightLines('', 'javascript')).toEqual([''])
    expect(highlightLines('a\r\nb\r\n', null)).toEqual(['a', 'b'])
  })
  test('beyond the limits lines are plain and still escaped', () => {
    const many = 'let a = 1\n'.repeat(limits.lines + 1)
    expect(highlightLines(many, 'javascript')).toHaveLength(limits.lines + 1)
    expect(highlightLines(many, 'javascript').join('').includes('<i')).toBe(false)
    const wide = `let a = "${'<'.repeat(limits.lineLength)}"`
    expect(highlightLines(wide, 'javascript')[0]).toStartWith('let a = &quot;&lt;')
    const large =
      'let ab = 1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\n'.repeat(
        4_000,
      )
    expect(highlightLines(large, 'javascript').join('').includes('<i')).toBe(false)
    expect(
      highlightLines('let a = 1\n'.repeat(limits.lines), 'javascript').join('').includes('<i'),
    ).toBe(true)
  })
})

describe('marks', () => {
  test('stay inside spans and count an entity as one character', () => {
    expect(markRanges('<span class="a">x&lt;y</span>z', [[1, 4]])).toBe(
      '<span class="a">x<mark>&lt;y</mark></span><mark>z</mark>',
    )
    expect(markRanges('a😀b', [[1, 3]])).toBe('a<mark>😀</mark>b')
    expect(
      markRanges('abcdef', [
        [0, 1],
        [3, 4],
      ]),
    ).toBe('<mark>a</mark>bc<mark>d</mark>ef')
    expect(markRanges('abc', [])).toBe('abc')
  })
})
