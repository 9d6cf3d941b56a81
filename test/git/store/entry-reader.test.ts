import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EntryReader } from '../../../src/git/store/entry-reader.ts'
import { ObjectStore } from '../../../src/git/store/object-store.ts'
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

test('the last of a chain of large deltas is read without holding the others', async () => {
  const work = scratch()
  try {
    const data = Buffer.alloc(SIZE)
    const entries: MadeEntry[] = [{ type: 'blob', data: Buffer.alloc(SIZE) }]
    let oid = idOf('blob', data)
    for (let number = 1; number <= DELTAS; number++) {
      entries.push({ base: oid, delta: change(number) })
      data[0] = number
      oid = idOf('blob', data)
    }
    const packs = join(work, 'objects', 'pack')
    mkdirSync(packs, { recursive: true })
    const path = join(packs, `pack-${'1'.repeat(40)}.pack`)
    writeFileSync(path, makePack(entries))
    await git(work, 'index-pack', path)
    const store = new ObjectStore(work, new EntryReader(4 << 20, 1 << 30))
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const object = store.read(oid)
    const moreMB = (process.memoryUsage.rss() - before) / 1e6
    expect([object?.data.length, object?.data[0], object?.data[1]]).toEqual([SIZE, DELTAS, 0])
    // The object, its base, and what the collector keeps of others.
    expect(moreMB).toBeLessThan((4 * SIZE) / 1e6)
    store.close()
  } finally {
    discard(work)
  }
}, 120_000)
