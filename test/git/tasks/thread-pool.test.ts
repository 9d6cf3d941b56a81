import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createGit } from '#git'
import { ThreadPool } from '../../../src/git/tasks/thread-pool.ts'
import { resolveSettings } from '../../../src/git/settings.ts'
import { discard, scratch } from '../support/real-git.ts'

const work = scratch()
afterAll(() => discard(work))

/** Files below a folder that this process has open. */
const openBelow = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(join('/proc/self/fd', fd))
      return path.startsWith(folder) ? [path] : []
    } catch {
      return []
    }
  })

test('a thread that cannot begin is tried again with the next task, not in a loop', async () => {
  let faults = 0
  // Without settings no engine can be made, as without memory.
  const pool = new ThreadPool(null as never, 1, () => faults++)
  expect(pool.runningThreads).toBe(0)
  expect(await pool.call('verify', {}).catch(String)).toContain('a worker of the git engine failed')
  expect(faults).toBe(1)
  expect(await pool.call('verify', {}).catch(String)).toContain('a worker of the git engine failed')
  // A loop would have started several threads by then.
  await Bun.sleep(1_000)
  expect(faults).toBe(2)
  await pool.close()
})

/** A folder of stores in which the store `one` has a commit. */
async function storesWithOne(name: string): Promise<string> {
  const root = join(work, name)
  const git = createGit({ root, tmp: join(work, 'tmp'), workers: 0 })
  await git.createStore('one')
  const who = { name: 'Eve', email: 'eve@example.org', time: 1_600_000_000, zone: '+0000' }
  await git.commitFiles('one', {
    parent: null,
    changes: [{ action: 'put', path: 'file', data: Buffer.from('text') }],
    message: 'first',
    author: who,
    committer: who,
  })
  await git.close()
  return root
}

/** Two threads that end after `idleMs` without tasks. */
const poolOf = (root: string, faults: string[], idleMs: number): ThreadPool =>
  new ThreadPool(
    resolveSettings({ root, tmp: join(work, 'tmp') }).engine,
    2,
    (fault) => void faults.push(fault),
    null,
    idleMs,
  )

test('threads start with their first task, end when idle with their files closed, and start again', async () => {
  const root = await storesWithOne('stores')
  const faults: string[] = []
  const pool = poolOf(root, faults, 1)
  expect(pool.runningThreads).toBe(0)
  pool.forget('one')
  expect(pool.runningThreads).toBe(0)
  for (let round = 0; round < 2; round++) {
    await pool.call('verify', { store: 'one', args: [[]] })
    for (let tries = 0; tries < 12_000 && pool.runningThreads > 0; tries++) await Bun.sleep(10)
    expect(pool.runningThreads).toBe(0)
    for (let tries = 0; tries < 12_000 && openBelow(root).length > 0; tries++) await Bun.sleep(10)
    expect(openBelow(root)).toEqual([])
  }
  expect(faults).toEqual([])
  await pool.close()
})

test('a thread without tasks ends although another one is busy all the time', async () => {
  const root = await storesWithOne('busy')
  const faults: string[] = []
  const pool = poolOf(root, faults, 100)
  const work = () => pool.call('verify', { store: 'one', args: [[]] })
  const both = [work(), work()]
  expect(pool.runningThreads).toBe(2)
  await Promise.all(both)
  // A thread that has just worked is there, so the one that is left is that one.
  const until = Date.now() + 60_000
  do await work()
  while (pool.runningThreads > 1 && Date.now() < until)
  expect(pool.runningThreads).toBe(1)
  expect(faults).toEqual([])
  await pool.close()
})
