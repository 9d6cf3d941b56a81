/**
 * The packages `@actions/artifact`, `cache`, `core`, `github` and `tool-cache` from npm, under node and
 * under the executable, which runs JavaScript where a machine has no node, against the doors of the
 * built executable: artifacts, caches, two branches, a large file, wrong tokens, other jobs, jobs that
 * have ended, the context of a job, REST with its token, a tool that is downloaded. Prints a line for
 * each step.
 */
import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { claim, EXECUTABLE, OWNER, requireBuilt, startForge } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { Jobs, type TakenJob } from './actions-clients/job.ts'
import { installPackages } from './actions-clients/packages.ts'
import { Client } from './package-clients/client.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  packages: {
    kind: 'text',
    default: '',
    help: 'Where the packages are installed, to be used again.',
  },
  runtime: { kind: 'text', default: '', help: 'node or executable; both unless given.' },
  mib: { kind: 'count', default: '300', help: 'The size of the large files.' },
} as const satisfies Record<string, Option>

const sha256 = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex')

/** What runs JavaScript, as jobs run it. */
type Runtime = {
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
}

const runtimesOf = (executable: string): Readonly<Record<string, Runtime>> => ({
  node: { command: ['node'], environment: {} },
  executable: {
    command: [executable, '--no-env-file', '--config=/dev/null'],
    environment: { BUN_BE_BUN: '1' },
  },
})

/** Stock clients as steps of jobs. */
class Steps {
  constructor(
    readonly client: Client,
    private readonly packages: string,
    private readonly runtime: Runtime,
  ) {}

  /** What a client answers; `failed` with what it says when it fails. */
  async ask(
    { token }: Pick<TakenJob, 'token'>,
    what: readonly string[],
    change: Record<string, string> = {},
  ): Promise<{ readonly value: unknown; readonly failed: boolean; readonly text: string }> {
    const result = this.client.path('result.json')
    rmSync(result, { force: true })
    const command = [...this.runtime.command, join(this.packages, 'act.mjs'), ...what]
    const { status, text } = await this.client.run('work', command, {
      RESULT: result,
      ACTIONS_RUNTIME_TOKEN: token,
      ACTIONS_RESULTS_URL: `${this.client.place.url}/`,
      ACTIONS_CACHE_SERVICE_V2: 'true',
      // The packages refuse servers that they do not know, unless the name ends so.
      GITHUB_SERVER_URL: 'http://forge.localhost',
      GITHUB_WORKSPACE: this.client.path('work'),
      RUNNER_TEMP: this.client.path('temp'),
      ...this.runtime.environment,
      ...change,
    })
    const failed = status !== 0
    return { failed, text, value: failed ? null : JSON.parse(readFileSync(result, 'utf8')) }
  }
}

/** What an answer of a client is compared by. */
const fields = (value: unknown, ...names: readonly string[]): unknown[] =>
  names.map((name) => (value as Record<string, unknown> | null)?.[name])

async function tryArtifacts(steps: Steps, job: TakenJob, other: TakenJob): Promise<void> {
  const { client } = steps
  const folder = client.write('work/out/a.txt', 'one')
  client.write('work/out/deep/b.txt', 'two')
  const files = [join(folder, 'a.txt'), join(folder, 'deep/b.txt')]
  const upload = ['upload', 'app', folder, ...files]
  const made = await steps.ask(job, upload)
  const [size, digest] = fields(made.value, 'size', 'digest')
  client.check('upload an artifact', Number(size) > 0, made.text)
  const again = await steps.ask(job, upload)
  client.check('a second one of the name is refused', again.failed && /already/.test(again.text))
  const list = await steps.ask(job, ['list'])
  const [artifacts] = fields(list.value, 'artifacts') as [Record<string, unknown>[]]
  const listed = artifacts?.[0]
  const isListed = listed?.name === 'app' && listed.size === size
  client.check('list it', isListed && listed.digest === `sha256:${digest}`, list.text)
  const got = await steps.ask(job, ['download', 'app', client.path('got')])
  const isSame = existsSync(client.path('got/deep/b.txt'))
  client.check('download it', isSame && fields(got.value, 'digestMismatch')[0] === false, got.text)
  const theirs = await steps.ask(other, ['get', 'app'])
  client.check('another run does not see it', theirs.failed && /not found/i.test(theirs.text))
  const removed = await steps.ask(job, ['remove', 'app'])
  client.check('delete it', !removed.failed, removed.text)
  const gone = await steps.ask(job, ['get', 'app'])
  client.check('it is gone', gone.failed)
  const anew = await steps.ask(job, upload)
  client.check('upload it anew', !anew.failed, anew.text)
}

async function tryLargeFiles(steps: Steps, job: TakenJob, mib: number): Promise<void> {
  const { client } = steps
  const folder = client.write('work/large/file.bin', randomBytes(mib * 1024 ** 2))
  const path = join(folder, 'file.bin')
  const before = sha256(path)
  const made = await steps.ask(job, ['upload', 'large', folder, path])
  client.check(`upload ${mib} MiB in blocks`, !made.failed, made.text)
  await steps.ask(job, ['download', 'large', client.path('got-large')])
  const same = sha256(client.path('got-large/file.bin')) === before
  client.check('the same bytes come back', same)
  const saved = await steps.ask(job, ['save', 'large', 'large'])
  client.check(`save a cache of ${mib} MiB`, Number(saved.value) > 0, saved.text)
  rmSync(folder, { recursive: true })
  const restored = await steps.ask(job, ['restore', 'large', '', 'large'])
  client.check('restore it', restored.value === 'large' && sha256(path) === before, restored.text)
}

async function tryCaches(steps: Steps, main: TakenJob, topic: TakenJob): Promise<void> {
  const { client } = steps
  const folder = client.write('work/deps/made', 'of main')
  const read = (): string | null => {
    const path = join(folder, 'made')
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  const restore = async (job: TakenJob, key: string, prefix = ''): Promise<string> => {
    rmSync(folder, { recursive: true, force: true })
    const { value } = await steps.ask(job, ['restore', key, prefix, 'deps'])
    return `${String(value)} ${read()}`
  }
  const is = (what: string, found: string, expected: string): void =>
    client.check(what, found === expected, found)
  const saved = await steps.ask(main, ['save', 'deps-1', 'deps'])
  client.check('save a cache', Number(saved.value) > 0, saved.text)
  const again = await steps.ask(main, ['save', 'deps-1', 'deps'])
  client.check('the same key is saved once', again.value === -1, again.text)
  is('restore it', await restore(main, 'deps-1'), 'deps-1 of main')
  is('restore by a prefix', await restore(main, 'deps-2', 'deps-'), 'deps-1 of main')
  is('a miss is a miss', await restore(main, 'none'), 'null null')
  is('a branch reads that of main', await restore(topic, 'deps-1'), 'deps-1 of main')
  client.write('work/deps/made', 'of the branch')
  await steps.ask(topic, ['save', 'deps-topic', 'deps'])
  is('a branch reads its own', await restore(topic, 'deps-topic'), 'deps-topic of the branch')
  is('main does not read it', await restore(main, 'deps-topic'), 'null null')
}

/** A relying party reads the documents of the forge and verifies what `@actions/core` fetched. */
async function tryIdentity(steps: Steps, jobs: Jobs, without: TakenJob): Promise<void> {
  const { client } = steps
  const { url } = client.place
  const job = await jobs.take('deploy', '    permissions: { id-token: write }\n')
  const { env } = JSON.parse(job.payload) as { env: Record<string, string> }
  const address = { ACTIONS_ID_TOKEN_REQUEST_URL: env.ACTIONS_ID_TOKEN_REQUEST_URL ?? '' }
  const variables = ({ token }: TakenJob) => ({ ...address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: token })
  const said = await steps.ask(job, ['identity', 'vault'], variables(job))
  if (said.failed) return client.check('fetch an ID token', false, said.text)
  const issuer = `${url}/api/actions`
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks`))
  const { payload } = await jwtVerify(String(said.value), keys, { issuer, audience: 'vault' })
  const subject = `repo:${OWNER.workspace}/site:ref:refs/heads/deploy`
  client.check('a relying party verifies an ID token', payload.sub === subject, said.text)
  const refused = await steps.ask(without, ['identity', 'vault'], variables(without))
  client.check('a job without the permission gets none', refused.failed, refused.text)
}

/** The variables and the file of the event that runners make from the context of a job. */
function variablesOf({ client }: Steps, { context, secrets }: TakenJob): Record<string, string> {
  const { event, ...fields } = context
  const path = join(client.write('temp/event.json', JSON.stringify(event)), 'event.json')
  const variables = Object.entries(fields).map(([name, value]) => [
    `GITHUB_${name.toUpperCase()}`,
    String(value),
  ])
  return {
    ...(Object.fromEntries(variables) as Record<string, string>),
    GITHUB_EVENT_PATH: path,
    GITHUB_TOKEN: secrets.GITHUB_TOKEN ?? '',
    RUNNER_TOOL_CACHE: client.path('tools'),
  }
}

async function tryContext(steps: Steps, job: TakenJob): Promise<void> {
  const { client } = steps
  const variables = variablesOf(steps, job)
  const { value, text } = await steps.ask(job, ['context'], variables)
  const repo = { owner: OWNER.workspace, repo: 'site' }
  const [found, run, ref, payload] = fields(value, 'repo', 'runId', 'ref', 'payload')
  client.check('the context names the repository', Bun.deepEquals(found, repo), text)
  client.check('the number of the run', Number.isSafeInteger(run) && Number(run) > 0, text)
  client.check('the branch', ref === 'refs/heads/main', text)
  const [pushed] = fields(payload, 'ref')
  client.check('the payload of the event', pushed === ref, text)
  const ask = (route: string, parameters: object) =>
    steps.ask(job, ['request', route, JSON.stringify(parameters)], variables)
  const read = await ask('GET /repos/{owner}/{repo}', repo)
  const [data] = fields(read.value, 'data')
  client.check('its client reads the repository', fields(data, 'name')[0] === 'site', read.text)
  const opened = await ask('POST /repos/{owner}/{repo}/issues', { ...repo, title: 'From a job' })
  client.check('its client writes nothing without the permission', opened.failed, opened.text)
}

async function tryTools(steps: Steps, job: TakenJob): Promise<void> {
  const { client } = steps
  const variables = variablesOf(steps, job)
  const archive = `${client.place.url}/${OWNER.workspace}/site/archive/main.tar.gz`
  const none = await steps.ask(job, ['find', 'site', '1.2.3'], variables)
  client.check('a tool that is not there is not found', none.value === '', none.text)
  const kept = await steps.ask(job, ['tool', 'site', '1.2.3', archive], variables)
  client.check('download an archive as a tool', !kept.failed, kept.text)
  const found = await steps.ask(job, ['find', 'site', '1.x'], variables)
  client.check('find it by a range', kept.value !== null && found.value === kept.value, found.text)
}

async function tryWrongTokens(steps: Steps, jobs: Jobs, job: TakenJob, other: TakenJob) {
  const { client } = steps
  const [head = '', claims = '', end = ''] = job.token.split('.')
  const [, others = ''] = other.token.split('.')
  for (const [what, token] of [
    ['a token with another signature', `${head}.${claims}.${end.replace(/.$/, 'x')}x`],
    ['claims of another job under this signature', `${head}.${others}.${end}`],
  ] as const) {
    const said = await steps.ask({ token }, ['list'])
    client.check(`${what} is refused`, said.failed && said.text.includes('401'), said.text)
  }
  const theirs = await fetch(
    `${client.place.url}/twirp/github.actions.results.api.v1.ArtifactService/ListArtifacts`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${job.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(idsOf(other)),
    },
  )
  client.check('a job does not act in the name of another', theirs.status === 403)
  await jobs.end(job)
  const late = await steps.ask(job, ['list'])
  client.check('a job that has ended is refused', late.failed && late.text.includes('401'))
}

function idsOf({ token }: TakenJob) {
  const [, claims = ''] = token.split('.')
  const { scp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { scp: string }
  const [, workflow_run_backend_id, workflow_job_run_backend_id] = scp.split(':')
  return { workflow_run_backend_id, workflow_job_run_backend_id }
}

/** All steps under one runtime, with a forge of their own. Returns the failures. */
async function tryAll(
  name: string,
  runtime: Runtime,
  { executable, packages, mib }: { executable: string; packages: string; mib: number },
): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'actions-clients-'))
  const forge = await startForge({
    executable,
    data: join(directory, 'data'),
    log: join(directory, 'log'),
    environment: { HEARTH_JOBS_LOCAL: 'false' },
  })
  const { token } = await claim(forge)
  const place = { url: forge.url, workspace: OWNER.workspace, token, directory, tools: directory }
  const client = new Client(`actions under ${name}`, place)
  for (const folder of ['work', 'temp', 'home', 'tools']) mkdirSync(client.path(folder))
  const jobs = new Jobs(forge.url, token, directory)
  try {
    const steps = new Steps(client, packages, runtime)
    await jobs.begin()
    const main = await jobs.take('main')
    const topic = await jobs.take('topic')
    await tryArtifacts(steps, main, topic)
    await tryCaches(steps, main, topic)
    await tryLargeFiles(steps, main, mib)
    await tryIdentity(steps, jobs, topic)
    await tryContext(steps, main)
    await tryTools(steps, main)
    await tryWrongTokens(steps, jobs, main, topic)
  } finally {
    jobs.close()
    await forge.stop()
  }
  const log = readFileSync(join(directory, 'log'), 'utf8').split('\n')
  for (const line of log.filter((one) => one.includes('"level":"error"')))
    client.check('the log has no error', false, line)
  rmSync(directory, { recursive: true, force: true })
  process.stdout.write(`${name}: ${client.steps} steps, ${client.failures} failures\n`)
  return client.failures
}

await runScript('bun test/system/actions-clients.ts [options]', OPTIONS, async (options) => {
  const executable = requireBuilt(options.executable)
  const folder = mkdtempSync(join(tmpdir(), 'actions-packages-'))
  try {
    const packages = await installPackages(options.packages || folder)
    let failures = 0
    for (const [name, runtime] of Object.entries(runtimesOf(executable)))
      if (options.runtime === '' || options.runtime === name)
        failures += await tryAll(name, runtime, { executable, packages, mib: Number(options.mib) })
    return failures === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
