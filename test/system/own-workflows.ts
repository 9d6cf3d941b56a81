/**
 * The repository's own workflows on a forge that hosts the repository: `bun test/system/own-workflows.ts`. It
 * pushes HEAD of this working tree with the tag of its version. `test.yml` has to pass, and `release.yml`
 * has to draft a release whose files a person downloads, checks, starts and publishes. Jobs install
 * packages from npm, so it needs the registry, and slirp4netns. `--ref REF` pushes another commit, and
 * `--only test` or `release` runs one of both.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import { runScript } from '../../scripts/support/options.ts'
import { api, claim, git, startForge, visitor, withToken } from '../journeys/forge.ts'
import { checkRelease } from './own-workflows/release.ts'

const POLL_MS = 2_000
/** Of the log of a job that failed. */
const TAIL_LINES = 60
const ACTIONS = '/v1/repos/ada/hearth/actions'
const CONFIGURATION = '[checks]\nmemory = "6G"\ndisk = "20G"\n'
const ROOT = join(import.meta.dir, '../..')

type Run = { id: string; status: string; conclusion: string | null; path: string }
type Job = {
  id: string
  name: string
  conclusion: string | null
  started_at: string | null
  finished_at: string | null
}
type Ask = ReturnType<typeof api>

const say = (line: string): void => void process.stdout.write(`${line}\n`)

const secondsOf = ({ started_at, finished_at }: Job): number =>
  started_at === null || finished_at === null
    ? 0
    : Math.round((Date.parse(finished_at) - Date.parse(started_at)) / 1_000)

/** Makes the repository, with the variables that its workflows read. */
async function createRepository(ask: Ask): Promise<void> {
  await ask('POST', '/v1/repos', { workspace: 'ada', name: 'hearth', private: false })
  const set = (setting: string, value: string) =>
    ask('POST', `${ACTIONS}/variables`, { setting, value })
  await set('PUBLISH_RELEASES', 'yes')
  const certificates = process.env.NODE_EXTRA_CA_CERTS
  if (certificates !== undefined) await set('EXTRA_CA_CERTS', certificates)
}

/** Waits until a run of each file has ended, and no other run goes on. */
async function waitForRuns(ask: Ask, files: readonly string[]): Promise<Run[]> {
  for (;;) {
    const runs = (await ask('GET', `${ACTIONS}/runs`)).body as Run[]
    const isThere = files.every((file) => runs.some(({ path }) => path.endsWith(file)))
    if (isThere && runs.every(({ status }) => status === 'completed')) return runs
    await Bun.sleep(POLL_MS)
  }
}

async function printRun(ask: Ask, run: Run): Promise<void> {
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
  {
    ref: { kind: 'text', default: 'HEAD', help: 'The commit that is pushed.' },
    only: { kind: 'text', default: '', help: 'test or release; both unless given.' },
  },
  async ({ ref, only }) => {
    const directory = mkdtempSync(join(tmpdir(), 'hearth-own-'))
    writeFileSync(join(directory, 'hearth.toml'), CONFIGURATION)
    const forge = await startForge({ directory, args: ['--config', 'hearth.toml'] })
    const { page, context, problems } = await visitor()
    try {
      const token = await claim(page, forge)
      const ask = api(forge, token)
      await createRepository(ask)
      const version = packageJson.version
      const refs = [
        ...(only === 'release' ? [] : [`${ref}:refs/heads/main`]),
        ...(only === 'test' ? [] : [`${ref}:refs/tags/v${version}`]),
      ]
      await git(ROOT, 'push', '-q', `${withToken(forge.url, token)}/ada/hearth.git`, ...refs)
      const files = [
        ...(only === 'release' ? [] : ['test.yml']),
        ...(only === 'test' ? [] : ['release.yml']),
      ]
      const runs = await waitForRuns(ask, files)
      for (const run of runs) await printRun(ask, run)
      const isGreen = runs.every(({ conclusion }) => conclusion === 'success')
      if (!isGreen || only === 'test') return isGreen ? 0 : 1
      const faults = await checkRelease({ page, ask, url: forge.url, version, directory })
      for (const fault of [...faults, ...problems]) say(`FAIL ${fault}`)
      return faults.length + problems.length === 0 ? 0 : 1
    } finally {
      await context.close()
      await forge.stop()
      rmSync(directory, { recursive: true, force: true })
    }
  },
)
