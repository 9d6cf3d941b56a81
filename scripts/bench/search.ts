/**
 * How quick the search is over real code: `bun scripts/bench/search.ts REPO.git...` takes bare
 * repositories, pushes the newest tree of each to a forge of its own, and asks 200 different
 * questions over all of it through REST. Prints how long taking in and a push of 20 files took
 * until they were found (`--keep` leaves the forge where it is), and the percentiles of the
 * questions, and of the processor time behind them, which a busy machine changes less.
 */
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { openHearth } from '#src/app.ts'
import { call } from '#core/operation.ts'
import { writeAs } from '#core/write.ts'
import { issueToken } from '#features/accounts/tokens/tokens.ts'
import { userCaller } from '#features/accounts/index.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { createIssue } from '#features/issues/index.ts'
import { createRepo, updateRepo } from '#features/repos/index.ts'
import { createWorkspace } from '#features/workspaces/index.ts'
import { GitServer } from '#http/git/git-server.ts'
import { startServer } from '#http/server.ts'
import { silentLog } from '#lib/log.ts'
import { systemClock } from '#lib/time.ts'
import { typeId } from '#core/ids.ts'
import { testSettings } from '../../test/settings.ts'

const QUESTIONS = 200
const keep = process.argv.includes('--keep')
const sources = process.argv.slice(2).filter((one) => one !== '--keep')
if (sources.length === 0) {
  process.stderr.write('give bare repositories: bun scripts/bench/search.ts DIR.git...\n')
  process.exit(2)
}

const data = mkdtempSync(join(tmpdir(), 'hearth-search-'))
const server = startServer({ host: '127.0.0.1', port: 0, log: silentLog })
const site = `http://127.0.0.1:${server.port}`
const settings = { ...testSettings(data), site_url: site, base_url: `${site}/api` }
const hearth = openHearth({
  settings: { ...settings, git: { ...settings.git, workers: 2 } },
  log: silentLog,
  clock: systemClock,
  databasePath: join(data, 'hearth.db'),
})
server.open(hearth, { git: new GitServer(hearth) })
await hearth.jobs.start()

const id = typeId('usr', systemClock.now())
await writeAs(hearth, null, (tx) =>
  insertUser(tx, {
    id,
    username: 'ada',
    email: 'ada@example.com',
    name: null,
    password_hash: null,
    verified: true,
    site_admin: true,
  }),
)
const ada = userCaller(hearth.db, id)
if (!ada) throw new Error('no caller')
await call(hearth, createWorkspace, ada, { slug: 'acme' })
const { secret } = await writeAs(hearth, null, (tx) =>
  issueToken(tx, {
    actor_id: id,
    kind: 'user',
    name: 'bench',
    source: 'settings',
    scopes: null,
    repos: null,
    workspace_id: null,
    role: null,
    expires_at: null,
  }),
)

const env = {
  PATH: process.env.PATH ?? '',
  GIT_NO_LAZY_FETCH: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  HOME: data,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.com',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.com',
}
function run(cwd: string, ...command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, {
    cwd,
    env,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  if (exitCode !== 0) throw new Error(`${command.join(' ')}: ${stderr.toString().slice(0, 500)}`)
  return stdout.toString()
}

type Answer = {
  counts: Record<string, number>
  items: { path: string; repo: string }[]
  incomplete: boolean
}
let asked = 0
async function ask(query: string, type: string): Promise<Answer> {
  asked++
  const answer = await fetch(`${site}/api/search?type=${type}&query=${encodeURIComponent(query)}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  if (!answer.ok) throw new Error(`${query}: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Milliseconds until a word is found, asked every 50. */
async function untilFound(query: string, since: number): Promise<number> {
  for (;;) {
    if ((await ask(query, 'code')).counts.code !== 0) return performance.now() - since
    await Bun.sleep(50)
  }
}

const trees: { name: string; path: string }[] = []
let bytes = 0
let files = 0
const began = performance.now()
for (const source of sources) {
  const name =
    basename(source) === 'repo'
      ? basename(dirname(source)).replace('+', '-')
      : basename(source, '.git')
  const path = join(data, 'work', name)
  mkdirSync(path, { recursive: true })
  run(path, 'sh', '-c', `git --git-dir="$0" archive HEAD | tar -x`, source)
  run(path, 'git', 'init', '-q', '-b', 'main')
  run(path, 'git', 'add', '-A', '-f')
  run(path, 'git', 'commit', '-q', '-m', 'All of it')
  for (const line of run(path, 'git', 'ls-tree', '-r', '-l', 'HEAD').split('\n')) {
    const size = Number(/^\S+ blob \S+ +(\d+)/.exec(line)?.[1] ?? 0)
    bytes += size
    if (size > 0) files++
  }
  await call(hearth, createRepo, ada, { workspace: 'acme', name, private: false })
  await call(hearth, updateRepo, ada, { repo: `acme/${name}`, protected: false })
  // A child process would keep this loop from serving what it asks.
  const push = Bun.spawn(
    [
      'git',
      '-c',
      `http.extraHeader=Authorization: Bearer ${secret}`,
      'push',
      '-q',
      `${site}/acme/${name}.git`,
      'main',
    ],
    { cwd: path, env, stderr: 'pipe' },
  )
  if ((await push.exited) !== 0) throw new Error(await new Response(push.stderr).text())
  trees.push({ name, path })
}
const pushed = performance.now()
await hearth.jobs.idle()
const taken = performance.now()
await call(hearth, createIssue, ada, {
  repo: `acme/${trees[0]?.name}`,
  title: 'An issue about memory',
  body: 'The buffer grows.',
})
process.stdout.write(
  `${trees.length} repositories, ${files} files, ${(bytes / 1e6).toFixed(1)} MB pushed in ${((pushed - began) / 1000).toFixed(1)} s; all taken in ${((taken - pushed) / 1000).toFixed(1)} s later\n`,
)
process.stdout.write(
  `the index has ${(statSync(join(data, 'search.db')).size / 1e6).toFixed(1)} MB\n`,
)

// Questions made of what is there, the same for the same code.
let seed = 7
const random = (below: number): number => {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return Math.floor((seed / 2147483648) * below)
}
const lines: { line: string; repo: string; path: string }[] = []
for (const { name, path } of trees) {
  const list = run(path, 'git', 'ls-files')
    .split('\n')
    .filter((file) => /\.(c|h|go|rs|py|js|ts|tsx|md|sh|txt)$/.test(file))
  for (let n = 0; n < 60; n++) {
    const file = list[random(list.length)] ?? ''
    const text = (await Bun.file(join(path, file)).text())
      .split('\n')
      .filter((line) => /\w{4,}.*\w{3,}/.test(line) && line.length < 200)
    for (let m = 0; m < 3; m++)
      lines.push({ line: text[random(text.length)] ?? '', repo: name, path: file })
  }
}
const pick = () => lines[random(lines.length)] ?? { line: '', repo: '', path: '' }
const word = (): string => {
  for (;;) {
    const words = pick().line.match(/[A-Za-z_]\w{2,}/g) ?? []
    const found = words[random(words.length)]
    if (found !== undefined) return found
  }
}
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
const kinds: (() => string)[] = [
  word,
  word,
  word,
  () => `${word()} ${word()}`,
  () => `"${(pick().line.trim().split(/\s+/).slice(0, 3).join(' ')).replace(/["\\]/g, '')}"`,
  () => `${word()} repo:acme/${trees[random(trees.length)]?.name}`,
  () =>
    `${word()} language:${['c', 'go', 'python', 'javascript', 'typescript', 'rust'][random(6)]}`,
  () => `${word()} path:${pick().path.split('/')[0] ?? 'src'}`,
  () => `${word()} case:yes`,
  () => `symbol:${word()}`,
  () => `regex:/${escaped(word())}\\s*\\(/`,
  () => `regex:/\\b${escaped(word())}[a-z]*_?\\d?\\b/ ${word()}`,
  () => `${word()} -${word()}`,
  () => `${word().slice(0, 2)}`,
  () => `nothing${random(1e6)}here`,
  () =>
    [
      'return',
      'static',
      'function',
      'const',
      'import',
      'struct',
      'void',
      'include',
      'test',
      'error',
    ][random(10)] ?? 'if',
]
const questions = Array.from({ length: QUESTIONS }, (_, at) =>
  (kinds[at % kinds.length] ?? word)(),
).map((query) => (query.trim().replaceAll('"', '') === '' ? word() : query))

const percentile = (times: readonly number[], part: number): string =>
  (
    times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * part))] ??
    0
  ).toFixed(1)
async function measure(
  name: string,
  questionsAsked: readonly string[],
  type: string,
): Promise<void> {
  const times: { ms: number; cpu: number; query: string }[] = []
  let found = 0
  let incomplete = 0
  for (const query of questionsAsked) {
    const start = performance.now()
    const cpu = process.cpuUsage()
    const answer = await ask(query, type)
    const { user, system } = process.cpuUsage(cpu)
    times.push({ ms: performance.now() - start, cpu: (user + system) / 1000, query })
    if ((answer.counts.code ?? 0) > 0) found++
    if (answer.incomplete) incomplete++
  }
  const ms = times.map((one) => one.ms)
  const cpu = times.map((one) => one.cpu)
  process.stdout.write(
    `${name}: ${questionsAsked.length} questions, ${found} with a result, ${incomplete} incomplete; p50 ${percentile(ms, 0.5)} p90 ${percentile(ms, 0.9)} p95 ${percentile(ms, 0.95)} p99 ${percentile(ms, 0.99)} ms; processor time of both sides p50 ${percentile(cpu, 0.5)} p95 ${percentile(cpu, 0.95)} ms\n`,
  )
  for (const { ms: slow, cpu: used, query } of times.toSorted((a, b) => b.cpu - a.cpu).slice(0, 8))
    process.stdout.write(
      `  ${slow.toFixed(1)} ms, ${used.toFixed(1)} of processor time  ${query}\n`,
    )
}
await measure('first asking', questions, 'code')
await writeAs(hearth, null, () => null)
await measure('the same again, after a write', questions, 'code')

// From a push to what it brought.
for (const { name, path } of [
  trees[0],
  trees.toSorted(
    (a, b) => run(b.path, 'git', 'ls-files').length - run(a.path, 'git', 'ls-files').length,
  )[0],
].filter((one) => one !== undefined)) {
  const mark = `lantern${typeId('evt', systemClock.now()).slice(-8)}`
  for (let n = 0; n < 20; n++)
    await Bun.write(join(path, 'bench', `file${n}.ts`), `export const ${mark}${n} = ${n}\n`)
  run(path, 'git', 'add', '-A')
  run(path, 'git', 'commit', '-q', '-m', 'More')
  const push = Bun.spawn(
    [
      'git',
      '-c',
      `http.extraHeader=Authorization: Bearer ${secret}`,
      'push',
      '-q',
      `${site}/acme/${name}.git`,
      'main',
    ],
    { cwd: path, env, stderr: 'pipe' },
  )
  if ((await push.exited) !== 0) throw new Error(await new Response(push.stderr).text())
  const since = performance.now()
  const found = await untilFound(`${mark}19`, since)
  process.stdout.write(
    `a push of 20 files to ${name} was found ${found.toFixed(0)} ms after git had ended\n`,
  )
}
process.stdout.write(`${asked} questions asked\n`)

await server.stop()
await hearth.close()
if (keep) process.stdout.write(`kept in ${data}\n`)
else rmSync(data, { recursive: true, force: true })
process.exit(0)
