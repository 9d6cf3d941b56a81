/** What the executable is made of. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { partsOf } from '../../scripts/support/executable-parts.ts'
import { EXECUTABLE, startForge } from './forge.ts'

test('no code of the executable is stored at twice its size', () => {
  const { list } = partsOf(EXECUTABLE)
  expect(list.length).toBeGreaterThan(10)
  expect(list.filter(({ isWide }) => isWide).map(({ name }) => name)).toEqual([])
})

test('threads share the code that they have in common with the program', () => {
  const { list } = partsOf(EXECUTABLE)
  const engine = list.find(({ name }) => name.endsWith('/git/engine.worker.js'))
  // A thread with all of its code in its own file has half a megabyte of it.
  expect(engine?.source).toBeLessThan(50_000)
})

test('the executable has at most 165 MB', () => {
  expect(statSync(EXECUTABLE).size).toBeLessThan(165_000_000)
})

test('a forge that was just started has no threads of the git engine, which has two or more', async () => {
  const forge = await startForge()
  try {
    expect((await fetch(`${forge.url}/api/readyz`)).status).toBe(200)
    const tasks = `/proc/${forge.child.pid}/task`
    const names = readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/comm`, 'utf8').trim())
    expect(names.length).toBeGreaterThan(1)
    // The search may have begun its one.
    expect(names.filter((name) => name === 'Worker').length).toBeLessThan(2)
  } finally {
    await forge.stop()
  }
})
