import { expect, test } from 'bun:test'
import { withTrailers } from '#features/pulls/merging/merge-message.ts'

test('trailers make a paragraph of their own, or join the one that is there', () => {
  expect(withTrailers('Title', ['A: 1', 'B: 2'])).toBe('Title\n\nA: 1\nB: 2\n')
  expect(withTrailers('Title\n\nText.\n\nSigned-off-by: x\n', ['A: 1'])).toBe(
    'Title\n\nText.\n\nSigned-off-by: x\nA: 1\n',
  )
  expect(withTrailers('Note: this is a title', ['A: 1'])).toBe('Note: this is a title\n\nA: 1\n')
  expect(withTrailers('Title\n\nA: 1\n', ['A: 1', 'B: 2', 'B: 2'])).toBe('Title\n\nA: 1\nB: 2\n')
  expect(withTrailers('Title', [])).toBe('Title\n')
})
