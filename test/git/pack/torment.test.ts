import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeHistory, random } from '../support/history.ts'
import { startHost, type TestHost } from '../support/host.ts'
import { discard, git, scratch } from '../support/real-git.ts'
import { hostile } from '../support/mutate.ts'
import { torment } from '../support/torment.ts'

let host: TestHost
let work: string

beforeAll(async () => {
  work = scratch()
  host = await startHost({
    maxObjectBytes: 8 << 20,
    maxPackBytes: 16 << 20,
    maxObjects: 100_000,
    memoryBudget: 64 << 20,
  })
})

afterAll(async () => {
  await host.close()
  discard(work)
})

test('randomly mutated packs are refused completely, with a response and bounded memory', async () => {
  const source = await makeHistory(work, 'source', {
    seed: 5,
    commits: 25,
    files: 8,
    merges: false,
    tags: false,
  })
  const name =
    readdirSync(join(source, 'objects', 'pack')).find((one) => one.endsWith('.pack')) ?? ''
  const real = {
    pack: Buffer.from(await Bun.file(join(source, 'objects', 'pack', name)).bytes()),
    tip: await git(source, 'rev-parse', 'main'),
  }
  const { problems, refused, growth } = await torment(
    host,
    (seed) => hostile(real, random(seed)),
    20_260_000,
    250,
  )
  expect(problems).toEqual([])
  expect(refused).toBeGreaterThan(200)
  expect(growth).toBeLessThan(512 << 20)
}, 600_000)
