import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startBackend, type Backend } from '../support/backend.ts'
import { Differential, type Difference } from '../support/differential.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, scratch } from '../support/real-git.ts'

const REPOSITORIES = 16
/** With each. */
const CONVERSATIONS = 2

let host: TestHost
let backend: Backend
let work: string

beforeAll(async () => {
  work = scratch()
  host = await startHost()
  backend = startBackend(work)
})

afterAll(async () => {
  await backend.close()
  await host.close()
  discard(work)
})

test('random repositories: what git gets from the engine is what it gets from git', async () => {
  // Others every time; what differs comes again with `bun test/system/git-differential.ts --count 1
  // --seed N`.
  const first = Math.floor(Math.random() * 100_000_000)
  const differential = new Differential(host, backend, work)
  const found: Difference[] = []
  let next = 0
  const run = async () => {
    while (next < REPOSITORIES)
      found.push(...(await differential.run(first + next++, CONVERSATIONS, 'small')))
  }
  await Promise.all([run(), run()])
  expect({ first, found }).toEqual({ first, found: [] })
}, 3_600_000)
