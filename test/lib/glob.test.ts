import { describe, expect, test } from 'bun:test'
import { glob, pathGlob } from '#lib/glob.ts'

describe('globs', () => {
  const cases: [string, string[], string[]][] = [
    ['main', ['main'], ['Main', 'main/x', 'xmain', '']],
    ['release/*', ['release/1', 'release/'], ['release', 'release/1/2', 'xrelease/1']],
    ['release/**', ['release/1', 'release/1/2', 'release/'], ['release', 'releases/1']],
    ['**', ['', 'a', 'a/b/c'], []],
    ['*', ['a', 'main', ''], ['a/b']],
    ['**/*.md', ['a.md', 'docs/a.md', 'x/y/z.md'], ['a.mdx', 'docs/a.md/b']],
    [
      'src/**/test/*',
      ['src/test/a', 'src/x/y/test/a'],
      ['src/test', 'src/test/a/b', 'srctest/a', 'src/xtest/a'],
    ],
    ['v?.?', ['v1.2'], ['v1.', 'v1.22', 'v1/2']],
    ['a**b', ['ab', 'a/b', 'axx/yyb'], ['a', 'b', 'abc']],
    ['**/**/a', ['a', 'x/a', 'x/y/a'], ['xa', 'b']],
    ['***', ['a/b'], []],
    ['(a|b)+[c]', ['(a|b)+[c]'], ['a', 'ac']],
    ['ünï*', ['ünïx'], ['unix']],
    ['x?🚀', ['x🚀🚀'], ['x🚀']],
  ]
  for (const [source, yes, no] of cases) {
    test(source, () => {
      for (const text of yes) expect([text, glob(source).matches(text)]).toEqual([text, true])
      for (const text of no) expect([text, glob(source).matches(text)]).toEqual([text, false])
    })
  }

  test('a hostile pattern on a long text ends', () => {
    const text = `${'a'.repeat(4_000)}!`
    expect(glob(`${'*a'.repeat(100)}b`).matches(text)).toBe(false)
    expect(glob(`${'**a'.repeat(80)}b`).matches(text)).toBe(false)
    expect(glob('**/'.repeat(80)).matches('a/'.repeat(2_000))).toBe(true)
  })

  test('a folder without wildcards is everything below it', () => {
    for (const source of ['infra', 'infra/', '/infra/'])
      expect(pathGlob(source).matches('infra/prod/main.tf')).toBe(true)
    expect(pathGlob('infra').matches('infra')).toBe(true)
    expect(pathGlob('infra').matches('infrastructure')).toBe(false)
    expect(pathGlob('src/*').matches('src/a/b')).toBe(false)
  })
})
