import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EntryReader } from '../../../src/git/store/entry-reader.ts'
import { ObjectStore } from '../../../src/git/store/object-store.ts'
import { readSmallOrDelegate } from '../../../src/git/tasks/small-reads.ts'
import { createMemoryCells, MemoryBudget } from '../../../src/git/tasks/memory-budget.ts'
import { idOf, makePack, varint, type MadeEntry } from '../support/packs.ts'
import { discard, git, scratch } from '../support/real-git.ts'

const SIZE = 48_000_000
const DELTAS = 12

/** A delta that changes the first byte of an object to another. */
const change = (first: number): Buffer => {
  const parts = [varint(SIZE), varint(SIZE), Buffer.from([1, first])]
  for (let at = 1; at < SIZE; ) {
    const length = Math.min(SIZE - at, 0xffffff)
    const numbers = [at, at >> 8, at >> 16, at >> 24, length, length >> 8, length >> 16]
    parts.push(Buffer.from([0xff, ...numbers.map((number) => number & 255)]))
    at += length
  }
  return Buffer.concat(parts)
}

/** A chain of large objects in a pack, each a delta of the one before. */
async function makeChain(): Promise<{ directory: string; oid: string; small: string }> {
  const directory = scratch()
  const data = Buffer.alloc(SIZE)
  const entries: MadeEntry[] = [{ type: 'blob', data: Buffer.alloc(SIZE) }]
  let oid = idOf('blob', data)
  for (let number = 1; number <= DELTAS; number++) {
    entries.push({ base: oid, delta: change(number) })
    data[0] = number
    oid = idOf('blob', data)
  }
  // A delta that copies the first bytes of the first object.
  entries.push({
    base: idOf('blob', Buffer.alloc(SIZE)),
    delta: Buffer.concat([varint(SIZE), varint(100), Buffer.from([0x90, 100])]),
  })
  const small = idOf('blob', Buffer.alloc(100))
  const packs = join(directory, 'objects', 'pack')
  mkdirSync(packs, { recursive: true })
  const path = join(packs, `pack-${'1'.repeat(40)}.pack`)
  writeFileSync(path, makePack(entries))
  await git(directory, 'index-pack', path)
  return { directory, oid, small }
}

let chain: Awaited<ReturnType<typeof makeChain>>
beforeAll(async () => void (chain = await makeChain()), 120_000)
afterAll(() => discard(chain.directory))

/** A store whose reader may reserve so many bytes. */
function openStore(limitBytes: number) {
  const memory = new MemoryBudget(createMemoryCells(1), limitBytes, 0)
  const limits = { memory, tmp: chain.directory }
  const store = new ObjectStore(chain.directory, new EntryReader(4 << 20, 1 << 30, limits))
  return { memory, store }
}

test('the last of a chain of large deltas is read without holding the others', () => {
  const store = new ObjectStore(chain.directory, new EntryReader(4 << 20, 1 << 30))
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const object = store.read(chain.oid)
  const moreMB = (process.memoryUsage.rss() - before) / 1e6
  expect([object?.data.length, object?.data[0], object?.data[1]]).toEqual([SIZE, DELTAS, 0])
  // The object, its base, and what the collector keeps of others.
  expect(moreMB).toBeLessThan((4 * SIZE) / 1e6)
  store.close()
}, 120_000)

test('with memory for one object only, its chain is resolved in files', () => {
  const { memory, store } = openStore(SIZE + (1 << 20))
  const view = store.view(chain.oid)
  expect([view?.data.length, view?.data[0], view?.data[1]]).toEqual([SIZE, DELTAS, 0])
  expect(memory.usedBytes).toBeGreaterThanOrEqual(SIZE)
  store.reader.releaseView()
  expect(memory.usedBytes).toBe(0)
  const object = store.read(chain.oid)
  expect(object?.data[0]).toBe(DELTAS)
  expect(memory.usedBytes).toBe(0)
  expect(readdirSync(chain.directory)).toEqual(['objects'])
  store.close()
}, 120_000)

test('an object for which there is no memory is refused, and its beginning can be read', () => {
  const { memory, store } = openStore(SIZE / 2)
  expect(() => store.read(chain.oid)).toThrow('bytes of memory at once')
  const start = store.readStart(chain.oid, 1000)
  expect([start?.size, start?.data.length, start?.data[0]]).toEqual([SIZE, 1000, DELTAS])
  expect(memory.usedBytes).toBe(0)
  let bytes = 0
  for (const block of store.blocks(chain.oid)) bytes += block?.length ?? 0
  expect(bytes).toBe(SIZE)
  store.close()
}, 120_000)

test('while other work holds the memory, a large object is busy, and nothing stays reserved', () => {
  const { memory, store } = openStore(3 * SIZE)
  const release = store.hold(5 * (SIZE / 2))
  expect(() => store.read(chain.oid)).toThrow('too much memory is in use')
  release()
  release()
  expect(memory.usedBytes).toBe(0)
  expect(store.read(chain.oid)?.data.length).toBe(SIZE)
  expect(memory.usedBytes).toBe(0)
  store.close()
}, 120_000)

test('a small object is not read on the calling thread when its base is large', async () => {
  const { store } = openStore(3 * SIZE)
  const read = () =>
    readSmallOrDelegate<unknown>(
      () => store,
      (db) => db.read(chain.small)?.data.length,
      async () => 'delegated',
    )
  expect(await read()).toBe('delegated')
  expect(store.reader.budget).toBeNull()
  // The thread keeps the small object, and has then no work with it.
  expect(store.read(chain.small)?.data.length).toBe(100)
  expect(await read()).toBe(100)
  store.close()
}, 120_000)
