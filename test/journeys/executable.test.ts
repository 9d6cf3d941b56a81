/** What the executable is made of. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { getPriority } from 'node:os'
import { NICENESS } from '#lib/threads/thread.ts'
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
    // Readiness would try a thread of the engine.
    expect((await fetch(`${forge.url}/livez`)).status).toBe(200)
    const tasks = `/proc/${forge.child.pid}/task`
    const threads = readdirSync(tasks).flatMap((id) => {
      let stat: string
      try {
        stat = readFileSync(`${tasks}/${id}/stat`, 'utf8')
      } catch (error) {
        // A helper of the runtime may end while they are listed.
        if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
        throw error
      }
      // proc_pid_stat(5), field 19; the second field is the name, in brackets.
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
    })
    expect(threads.length).toBeGreaterThan(1)
    // Those of the search and of checkpoints may have begun. The engine's have a priority of their own.
    const nice = getPriority(forge.child.pid)
    expect(threads.filter((one) => one === nice)).not.toEqual([])
    expect(threads.filter((one) => one === nice + NICENESS.engine)).toEqual([])
  } finally {
    await forge.stop()
  }
})
