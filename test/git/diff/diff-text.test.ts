import { expect, test } from 'bun:test'
import { diffText } from '#git'

const bytes = (text: string) => new TextEncoder().encode(text)

test('two texts give the hunks that a commit of the change would have', () => {
  expect(diffText(bytes('a\nb\nc\n'), bytes('a\nB\nc\n'))).toMatchObject({
    additions: 1,
    deletions: 1,
    hunks: [
      {
        old_start: 1,
        old_lines: 3,
        new_start: 1,
        new_lines: 3,
        lines: [
          { kind: 'context', text: 'a' },
          { kind: 'del', text: 'b' },
          { kind: 'add', text: 'B' },
          { kind: 'context', text: 'c' },
        ],
      },
    ],
  })
  expect(diffText(bytes(''), bytes('new'))?.hunks[0]?.lines).toEqual([
    { kind: 'add', old: null, new: 1, text: 'new', no_newline: true },
  ])
  expect(diffText(bytes('same\n'), bytes('same\n'))).toEqual({
    additions: 0,
    deletions: 0,
    hunks: [],
  })
  expect(diffText(bytes('text'), new Uint8Array([0, 1]))).toBeNull()
})
