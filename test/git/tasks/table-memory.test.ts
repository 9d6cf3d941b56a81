import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { resolveSettings } from '../../../src/git/settings.ts'
import { growTable } from '../../../src/git/store/tables.ts'
import { Engine } from '../../../src/git/tasks/engine.ts'
import { maintainTask } from '../../../src/git/tasks/maintain.ts'
import { createMemoryCells, MemoryBudget } from '../../../src/git/tasks/memory-budget.ts'
import { TableMemory } from '../../../src/git/tasks/table-memory.ts'
import { makeHistory, refsOf } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch, tryGit } from '../support/real-git.ts'

const KIB = 1 << 10

let work: string
let host: TestHost

beforeAll(async () => {
  work = scratch()
  host = await startHost()
  await host.create('one')
})

afterAll(async () => {
  await host.close()
  discard(work)
})

/** A budget of all threads, and an empty directory for files. */
function budget(kib: number): { memory: MemoryBudget; tmp: string } {
  const tmp = join(work, `tmp-${crypto.randomUUID()}`)
  mkdirSync(tmp)
  return { memory: new MemoryBudget(createMemoryCells(1), kib * KIB, 0), tmp }
}

test('tables are reserved in the budget of all threads, and mapped beyond their limit', () => {
  const { memory, tmp } = budget(8192)
  const tables = new TableMemory(memory, tmp, 100 * KIB)
  const first = tables.allocate(Uint32Array, 16 * KIB)
  expect(memory.usedBytes).toBe(64 * KIB)
  const second = tables.allocate(Uint32Array, 16 * KIB)
  expect([memory.usedBytes, tables.mappedBytes]).toEqual([64 * KIB, 64 * KIB])
  expect(second.every((value) => value === 0)).toBe(true)
  // A mapped file has no name, so a crash leaves none.
  expect(readdirSync(tmp)).toEqual([])
  second.fill(7)
  const third = growTable(tables, second, 32 * KIB)
  expect([third[0], third[16 * KIB - 1], third[16 * KIB], second.length]).toEqual([7, 7, 0, 0])
  tables.release(first)
  expect(memory.usedBytes).toBe(0)
  tables.allocate(Float64Array, 12 * KIB)
  expect([memory.usedBytes, tables.maxHeldBytes]).toEqual([96 * KIB, 96 * KIB])
  tables.close()
  expect([memory.usedBytes, third.length]).toEqual([0, 0])
})

test('tables are mapped while other work holds the memory', () => {
  const { memory, tmp } = budget(4096)
  const tables = new TableMemory(memory, tmp, 4096 * KIB)
  memory.add(3072 * KIB)
  const table = tables.allocate(Uint8Array, 2048 * KIB)
  expect([tables.mappedBytes, memory.usedBytes]).toEqual([2048 * KIB, 3072 * KIB])
  table.fill(1)
  tables.close()
})

/** Maintains a copy of the store in one thread. Returns its files, and the most that it reserved. */
function maintained(
  name: string,
  tips: readonly string[],
  maxTableBytes: number,
): { files: Map<string, Buffer>; maxUsedBytes: number } {
  const root = join(work, name)
  cpSync(join(host.root, 'one'), join(root, 'one'), { recursive: true })
  mkdirSync(join(root, 'tmp', 'git'), { recursive: true })
  const { engine: settings } = resolveSettings({ root, tmp: join(root, 'tmp') })
  const engine = new Engine({ ...settings, arenaBytes: 1 << 20, maxTableBytes })
  let maxUsedBytes = 0
  for (const _ of maintainTask(engine, 'one', Buffer.from(tips.join(''), 'hex')))
    maxUsedBytes = Math.max(maxUsedBytes, engine.memory.usedBytes)
  expect(engine.memory.usedBytes).toBe(0)
  expect(readdirSync(settings.tmp)).toEqual([])
  engine.close()
  const objects = join(root, 'one', 'objects')
  const pack = readdirSync(join(objects, 'pack')).find((file) => file.endsWith('.pack'))!
  const base = join(objects, 'pack', pack.slice(0, -5))
  const paths = ['.pack', '.idx', '.rev', '.bitmap'].map((ending) => base + ending)
  paths.push(join(objects, 'info', 'commit-graph'))
  return {
    files: new Map(paths.map((path) => [extname(path), readFileSync(path)])),
    maxUsedBytes,
  }
}

test('maintenance writes the same files whatever memory its tables may have', async () => {
  const source = await makeHistory(work, 'source', { seed: 9, commits: 700, files: 80 })
  const tips = [...(await refsOf(source)).values()]
  const third = (await git(source, 'rev-list', '--first-parent', 'main')).split('\n')[200]!
  for (const refspec of [`${third}:refs/heads/main`, 'refs/*:refs/*'])
    await git(source, 'push', '-q', host.remote('one'), refspec)
  const plenty = maintained('plenty', tips, 64 << 20)
  const none = maintained('none', tips, 0)
  expect([...none.files.keys()]).toEqual([...plenty.files.keys()])
  for (const [ending, bytes] of plenty.files) expect(none.files.get(ending)).toEqual(bytes)
  expect(none.maxUsedBytes).toBeLessThan(plenty.maxUsedBytes / 3)
  const store = join(work, 'none', 'one')
  for (const args of [
    ['fsck', '--strict', '--no-dangling'],
    ['commit-graph', 'verify'],
    ['rev-list', '--test-bitmap', tips[0]!],
  ])
    expect((await tryGit(work, ['--git-dir', store, ...args])).code).toBe(0)
})
