/**
 * The repository's own workflow `test.yml` on a forge that hosts the repository:
 * `bun test/system/own-workflows.ts`. It pushes HEAD of this working tree, and waits for the run. Jobs install
 * packages from npm, so it needs the registry, and slirp4netns. `--ref REF` pushes another commit.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runScript } from '../../scripts/support/options.ts'
import { api, claim, git, startForge, visitor, withToken } from '../journeys/forge.ts'

const POLL_MS = 2_000
/** Of the log of a job that failed. */
const TAIL_LINES = 60
const ACTIONS = '/v1/repos/ada/hearth/actions'
const CONFIGURATION = '[checks]\nmemory = "6G"\ndisk = "20G"\n'

type Run = { id: string; status: string; conclusion: string | null; path: string }
type Job = {
  id: string
  name: string
  conclusion: string | null
  started_at: string | null
  finished_at: string | null
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const secondsOf = ({ started_at, finished_at }: Job): number =>
  started_at === null || finished_at === null
    ? 0
    : Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1_000)

/** Pushes a commit to a new repository of the forge, and waits until its runs have ended. */
async function hostAndRun(
  ask: ReturnType<typeof api>,
  remote: string,
  ref: string,
): Promise<Run[]> {
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'hearth' })
  const value = process.env.NODE_EXTRA_CA_CERTS
  if (value !== undefined)
    await ask('POST', `${ACTIONS}/variables`, { setting: 'EXTRA_CA_CERTS', value })
  await git(join(import.meta.dir, '../..'), 'push', '-q', remote, `${ref}:refs/heads/main`)
  for (;;) {
    const runs = (await ask('GET', `${ACTIONS}/runs`)).body as Run[]
    if (runs.length > 0 && runs.every(({ status }) => status === 'completed')) return runs
    await Bun.sleep(POLL_MS)
  }
}

async function printRun(ask: ReturnType<typeof api>, run: Run): Promise<void> {
  say(`${run.path}: ${run.conclusion}`)
  const { body } = await ask('GET', `${ACTIONS}/runs/${run.id}/jobs`)
  for (const job of body as Job[]) {
    say(`  ${job.name}: ${job.conclusion}, ${secondsOf(job)} s`)
    if (job.conclusion !== 'failure') continue
    const log = await ask('GET', `${ACTIONS}/jobs/${job.id}/log?tail=${TAIL_LINES}`)
    for (const { text } of (log.body as { lines: { text: string }[] }).lines) say(`    ${text}`)
  }
}

await runScript(
  'bun test/system/own-workflows.ts',
  { ref: { kind: 'text', default: 'HEAD', help: 'The commit that is pushed.' } },
  async ({ ref }) => {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-own-'))
    writeFileSync(join(directory, 'hearth.toml'), CONFIGURATION)
    const forge = await startForge({ directory, args: ['--config', 'hearth.toml'] })
    const { page, context } = await visitor()
    const token = await claim(page, forge)
    await context.close()
    const ask = api(forge, token)
    const runs = await hostAndRun(ask, `${withToken(forge.url, token)}/ada/hearth.git`, ref)
    for (const run of runs) await printRun(ask, run)
    await forge.stop()
    rmSync(directory, { recursive: true, force: true })
    return runs.every(({ conclusion }) => conclusion === 'success') ? 0 : 1
  },
)
