import { expect, test } from 'bun:test'
import { Arena } from '../../../src/git/store/arena.ts'
import { random } from '../support/history.ts'

test('finds the object that was stored, or none, never another one', () => {
  const arena = new Arena(1 << 16)
  const next = random(3)
  const owner = new Map<number, number>()
  const put = new Map<number, number>()
  let found = 0
  for (let i = 0; i < 20_000; i++) {
    const size = 1 + Math.floor(next() * 3000)
    const pinned = next() < 0.3 && put.size > 0 ? arena.find(owner, i - 1) : -1
    const keepFrom = pinned < 0 ? 0 : arena.start(pinned)
    const keepTo = pinned < 0 ? 0 : arena.end(pinned)
    const from = arena.reserve(size + 1, keepFrom, keepTo)
    expect(from + size <= arena.memory.length).toBe(true)
    if (pinned >= 0) expect(from >= keepTo || from + size <= keepFrom).toBe(true)
    arena.memory.fill(i % 251, from, from + size)
    arena.commit(owner, i, 1, from, size)
    put.set(i, size)
    const key = Math.max(0, i - Math.floor(next() * 40))
    const slot = arena.find(owner, key)
    if (slot < 0) continue
    found++
    const view = arena.memory.subarray(arena.start(slot), arena.end(slot))
    expect(view.length).toBe(put.get(key)!)
    expect(view.every((byte) => byte === key % 251)).toBe(true)
  }
  expect(found).toBeGreaterThan(5_000)
  expect(owner.size).toBeLessThan(2_000)
})
