import { expect, test } from 'bun:test'
import {
  commitTime,
  fileDiffRecord,
  parseTrailers,
} from '#features/repos/commits/commit-records.ts'
import { decodeText, MAX_RESPONSE_LINES, sliceLines } from '#features/repos/files/file-content.ts'
import { detectLicense } from '#features/repos/files/license.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const shown = (data: Uint8Array) => new TextDecoder().decode(data)

test('trailers are the last paragraph, when all of it are trailers', () => {
  expect(
    parseTrailers(
      'Title\n\nBody\n\nFixes: #1\nCo-authored-by: A <a@x>\nCo-authored-by: B\n  <b@x>\n',
    ),
  ).toEqual({ Fixes: ['#1'], 'Co-authored-by': ['A <a@x>', 'B <b@x>'] })
  expect(parseTrailers('Fixes: all\n')).toEqual({})
  expect(parseTrailers('Title\n\nNote: this\nis prose')).toEqual({})
  expect(parseTrailers('Title\n\n__proto__: x\nconstructor: y')).toEqual({})
  expect(Object.keys(parseTrailers('Title\n\nconstructor: y'))).toEqual(['constructor'])
})

test('times that no date has are shown as the nearest one', () => {
  expect(commitTime(0)).toBe('1970-01-01T00:00:00.000Z')
  expect(commitTime(Number.MAX_SAFE_INTEGER)).toBe('9999-12-31T23:59:59.000Z')
})

test('a change is written as a patch that git applies', async () => {
  const line = (
    kind: 'context' | 'add' | 'del',
    old: number | null,
    to: number | null,
    text: string,
    no_newline = false,
  ) => ({ kind, old, new: to, text, no_newline })
  const record = fileDiffRecord({
    path: 'b.txt',
    old_path: null,
    status: 'modified',
    old_oid: null,
    new_oid: null,
    mode: '100644',
    old_mode: '100644',
    similarity: null,
    binary: false,
    additions: 1,
    deletions: 1,
    hunks: [
      {
        old_start: 1,
        old_lines: 2,
        new_start: 1,
        new_lines: 2,
        heading: '',
        lines: [
          line('context', 1, 1, 'a'),
          line('del', 2, null, 'b'),
          line('add', null, 2, 'c', true),
        ],
      },
    ],
    reason: null,
    generated: null,
  })
  const { mkdtempSync, writeFileSync, readFileSync } = await import('node:fs')
  const directory = mkdtempSync('/tmp/hearth-patch-')
  writeFileSync(`${directory}/b.txt`, 'a\nb\n')
  const { exitCode } = Bun.spawnSync(['git', 'apply', '-'], {
    cwd: directory,
    stdin: bytes(record.patch ?? ''),
  })
  expect(exitCode).toBe(0)
  expect(readFileSync(`${directory}/b.txt`, 'utf8')).toBe('a\nc')
  expect(record.hunks[0]?.lines.map((entry) => 'no_newline' in entry)).toEqual([false, false, true])
})

test('lines are cut out whole, within what one answer holds', () => {
  const data = bytes('one\ntwo\nthree')
  expect(sliceLines(data, 2, 2)).toMatchObject({
    lines: 3,
    from_line: 2,
    to_line: 2,
    isTruncated: false,
  })
  expect(shown(sliceLines(data, 2, null).data)).toBe('two\nthree')
  expect(sliceLines(bytes(''), 1, null)).toMatchObject({ lines: 0, to_line: 0, isTruncated: false })
  const many = sliceLines(bytes('x\n'.repeat(MAX_RESPONSE_LINES + 10)), 1, null)
  expect(many).toMatchObject({
    lines: MAX_RESPONSE_LINES + 10,
    to_line: MAX_RESPONSE_LINES,
    isTruncated: true,
  })
  const wide = sliceLines(bytes(`${'y'.repeat(700_000)}\n`.repeat(3)), 1, null)
  expect(wide).toMatchObject({ lines: 3, to_line: 1, isTruncated: true })
  expect(sliceLines(bytes('z'.repeat(3_000_000)), 1, null)).toMatchObject({
    lines: 1,
    isTruncated: true,
  })
})

test('text is UTF-8 or it is not text', () => {
  expect(decodeText(bytes('ü'), false)).toBe('ü')
  expect(decodeText(new Uint8Array([0xfc]), false)).toBeNull()
  expect(decodeText(bytes('aü').subarray(0, 2), true)).toBe('a')
})

test('licences are told by their own words', () => {
  expect(detectLicense('Apache License\n   Version 2.0, January 2004')).toBe('Apache-2.0')
  expect(detectLicense('GNU GENERAL PUBLIC LICENSE\n Version 3, 29 June 2007')).toBe('GPL-3.0')
  expect(detectLicense('All rights reserved.')).toBeNull()
})
