import { afterAll, beforeAll, expect, test } from 'bun:test'
import { PackMarks } from '../../../src/git/bitmap/pack-marks.ts'
import { EntryReader } from '../../../src/git/store/entry-reader.ts'
import { ObjectStore } from '../../../src/git/store/object-store.ts'
import type { PackFile } from '../../../src/git/store/pack-file.ts'
import { makeHistory, random } from '../support/history.ts'
import { discard, scratch } from '../support/real-git.ts'

let work: string
let store: ObjectStore
let pack: PackFile

beforeAll(async () => {
  work = scratch()
  const path = await makeHistory(work, 'source', { seed: 61, commits: 80 })
  store = new ObjectStore(path, new EntryReader(4 << 20, 1 << 30))
  pack = store.packs[0]!
})
afterAll(() => {
  store.close()
  discard(work)
})

test('marks in both orders give the same objects, by ascending pack position', () => {
  const next = random(7)
  const chosen = Array.from({ length: pack.index.count }, (_, i) => i).filter(() => next() < 0.3)
  expect(chosen.length).toBeGreaterThan(10)
  const expected = chosen
    .map((indexPos) => pack.reverseIndex.packPosOf(indexPos))
    .sort((a, b) => a - b)
  for (const order of ['pack', 'index'] as const) {
    const marks = PackMarks.none(pack, order)
    for (const indexPos of chosen) expect(marks.add(indexPos)).toBe(true)
    expect(marks.add(chosen[3]!)).toBe(false)
    expect(marks.count).toBe(chosen.length)
    for (let i = 0; i < pack.index.count; i++) expect(marks.has(i)).toBe(chosen.includes(i))
    expect([...marks.packPositions()!]).toEqual(expected)
    expect(marks.empty().count).toBe(0)
  }
})

test('a pack whose objects are all marked needs no list of them', () => {
  for (const order of ['pack', 'index'] as const) {
    const marks = PackMarks.none(pack, order)
    for (let i = 1; i < pack.index.count; i++) marks.add(i)
    const most = marks.copy()
    marks.add(0)
    expect(marks.packPositions()).toBeNull()
    expect(most.packPositions()).toHaveLength(pack.index.count - 1)
    expect(most.has(0)).toBe(false)
  }
})
