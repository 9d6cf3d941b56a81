import { expect, test } from 'bun:test'
import { SHARED_BLOCK_BYTES, SharedBlocks } from '#lib/threads/shared-blocks.ts'

test('a block is used again once it is released, and by one at a time', () => {
  const blocks = new SharedBlocks()
  const [first, second] = [blocks.take(), blocks.take()]
  if (!first || !second) throw new TypeError('two blocks')
  expect(first.byteLength).toBe(SHARED_BLOCK_BYTES)
  expect(second).not.toBe(first)
  blocks.release(first)
  // A second time would give it to two.
  blocks.release(first)
  expect(blocks.take()).toBe(first)
  expect(blocks.take()).not.toBe(first)
})

test('blocks in use are bounded, and forgotten or condemned ones make room but never come back', () => {
  const blocks = new SharedBlocks(3)
  const taken = [blocks.take(), blocks.take(), blocks.take()]
  expect(blocks.take()).toBeNull()
  const [kept, read, returned] = taken
  if (!kept || !read || !returned) throw new TypeError('three blocks')
  blocks.forget(kept)
  blocks.condemn(read)
  // Whoever had it does not know.
  blocks.release(read)
  blocks.release(kept)
  blocks.release(returned)
  const again = [blocks.take(), blocks.take(), blocks.take()]
  expect(again).toContain(returned)
  for (const gone of [kept, read]) expect(again).not.toContain(gone)
  expect(blocks.isCondemned(read)).toBe(true)
  expect(blocks.take()).toBeNull()
})

test('a block that is let go makes room, and may still be released once', () => {
  const blocks = new SharedBlocks(1)
  const first = blocks.take()
  if (!first) throw new TypeError('a block')
  blocks.letGo(first)
  const second = blocks.take()
  expect(second).not.toBeNull()
  blocks.release(first)
  blocks.release(first)
  if (second) blocks.release(second)
  expect([first, second]).toContain(blocks.take())
  expect(blocks.take()).toBeNull()
})
