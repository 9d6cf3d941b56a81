import { expect, test } from 'bun:test'
import { ThreadPool } from '../../../src/git/tasks/thread-pool.ts'

test('a thread that cannot begin is tried again with the next task, not in a loop', async () => {
  let faults = 0
  const { promise: failed, resolve } = Promise.withResolvers<void>()
  // Without settings no engine can be made, as without memory.
  const pool = new ThreadPool(null as never, 1, () => {
    faults++
    resolve()
  })
  await failed
  expect(faults).toBe(1)
  expect(await pool.call('verify', {}).catch(String)).toContain('a worker of the git engine failed')
  // A loop would have started several threads by then.
  await Bun.sleep(1_000)
  expect(faults).toBe(2)
  await pool.close()
})
