import { expect, test } from 'bun:test'
import { requireExplainedIds } from '../../../src/git/pack/object-limits.ts'

test('a pack names as many objects as its size explains', () => {
  // Large histories have about 300 bytes of pack for each object.
  requireExplainedIds(10_000_000, 3_000_000_000)
  requireExplainedIds(10_000_000, 100_000_000)
  // A small change of a large directory names all its files.
  requireExplainedIds(2_000_000, 10_000)
  expect(() => requireExplainedIds(3_000_000, 10_000)).toThrow('too many objects for its size')
  expect(() => requireExplainedIds(40_000_000, 100_000_000)).toThrow('too many objects')
})
