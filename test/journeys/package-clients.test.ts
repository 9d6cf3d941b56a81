/**
 * Real clients of the registries against the built executable: publish, publish again, install, what
 * is refused and what a person sees of it, yank, search. These are the clients that a machine has or
 * Debian holds in small packages; `test/system/package-clients.ts` runs all others.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, OWNER, startForge, type ForgeProcess } from '../../scripts/support/forge.ts'
import { RUNS } from '../system/package-clients/runs.ts'
import { EXECUTABLE, requireExecutable } from './forge.ts'

const CLIENTS = ['skopeo', 'npm', 'cargo', 'gem', 'composer', 'generic', 'job-home']

const directory = mkdtempSync(join(tmpdir(), 'package-clients-'))
let forge: ForgeProcess
let token = ''

beforeAll(async () => {
  await requireExecutable()
  forge = await startForge({
    executable: EXECUTABLE,
    data: join(directory, 'data'),
    log: join(directory, 'log'),
  })
  token = (await claim(forge)).token
})

afterAll(async () => {
  await forge.stop()
  rmSync(directory, { recursive: true, force: true })
})

for (const { name, programs, run } of RUNS.filter((one) => CLIENTS.includes(one.name)))
  test(`${name} publishes, installs and is refused`, async () => {
    const missing = programs.filter((program) => Bun.which(program) === null)
    if (missing.length > 0 && process.env.CI === undefined) {
      process.stdout.write(`${name} is left out: ${missing.join(' and ')} not installed\n`)
      return
    }
    expect(missing).toEqual([])
    const own = join(directory, name)
    const tools = join(directory, 'tools')
    for (const folder of [join(own, 'home'), tools]) mkdirSync(folder, { recursive: true })
    const place = { url: forge.url, workspace: OWNER.workspace, token, directory: own, tools }
    const client = await run({ ...place, isQuiet: true })
    if (typeof client === 'string') throw new Error(client)
    expect([client.failures, client.steps > 5]).toEqual([0, true])
  })

test('no request failed inside of the forge', async () => {
  const log = await Bun.file(join(directory, 'log')).text()
  expect(log.split('\n').filter((line) => line.includes('"level":"error"'))).toEqual([])
})
