import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGit } from '#git'
import { StartSweep } from '../../src/git/start-sweep.ts'
import { discard, scratch } from './support/real-git.ts'

const work = scratch()
afterAll(() => discard(work))

const STORES = 200
/** Stores in which an ended process left a pack without its index. */
function storesWithLeftovers(name: string): { root: string; leftovers: string[]; names: string[] } {
  const root = join(work, name)
  const names = Array.from({ length: STORES }, (_, n) => `store-${n}`)
  const leftovers = names.map((store) => {
    const packs = join(root, store, 'objects', 'pack')
    mkdirSync(packs, { recursive: true })
    writeFileSync(join(packs, 'pack-1.pack'), 'cut short')
    return join(packs, 'pack-1.pack')
  })
  return { root, leftovers, names }
}

test('a start sweeps a limited number of stores, and the others in the background', async () => {
  const { root, leftovers } = storesWithLeftovers('background')
  const swept: unknown[] = []
  const sweep = new StartSweep(root, (_, __, fields) => void swept.push(fields?.store))
  expect(swept).toHaveLength(50)
  for (let tries = 0; tries < 12_000 && sweep.waiting > 0; tries++) await Bun.sleep(5)
  expect(leftovers.filter((path) => existsSync(path))).toEqual([])
  expect(new Set(swept).size).toBe(STORES)
})

test('a store is swept before the first task that works in it, and once', () => {
  const { root, leftovers, names } = storesWithLeftovers('before-use')
  const sweep = new StartSweep(root, undefined)
  const at = leftovers.findLastIndex((path) => existsSync(path))
  const [store = '', leftover = ''] = [names[at], leftovers[at]]
  sweep.sweep(store)
  expect(existsSync(leftover)).toBe(false)
  // A file of a running push.
  writeFileSync(leftover, 'not complete yet')
  sweep.sweep(store)
  expect(existsSync(leftover)).toBe(true)
  sweep.stop()
})

test('every task of an engine waits for the sweep of its store', async () => {
  const { root, leftovers, names } = storesWithLeftovers('tasks')
  const git = createGit({ root, tmp: join(work, 'tmp'), workers: 0 })
  try {
    const at = leftovers.findLastIndex((path) => existsSync(path))
    await git.isReachable(names[at] ?? '', '0'.repeat(40), []).catch(() => false)
    expect(existsSync(leftovers[at] ?? '')).toBe(false)
  } finally {
    await git.close()
  }
})
