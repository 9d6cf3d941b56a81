/**
 * Moving in: mirrors and imports of a built forge beside git with the same remote, in turn in one run.
 * A sync that finds nothing beside `git fetch`, the first sync and the import of a history beside
 * `git clone --mirror`, how long a take-over and the plan of a hand-back take with many branches, what
 * the probes of many links cost, and files of Git LFS beside plain uploads and downloads of the same
 * size. The remote is another forge.
 */
import { Database } from 'bun:sqlite'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { median } from './forge/wrk.ts'
import { cpuOf } from './git/processes.ts'
import { generate } from './git/repositories.ts'
import { startHearth, type Hearth } from './git/servers.ts'
import { EXECUTABLE, OWNER, requireBuilt } from '../support/forge.ts'
import { git, withToken } from '../support/git.ts'
import { runScript, type Option } from '../support/options.ts'

const OPTIONS = {
  branches: { kind: 'count', default: '10000', help: 'Branches of the large repository.' },
  links: {
    kind: 'count',
    default: '500',
    help: 'Links whose probes are measured for two minutes.',
  },
  file: { kind: 'count', default: '256', help: 'MB of a large file.' },
  history: {
    kind: 'text',
    default: '',
    help: 'A bare repository to mirror and import, in place of a generated one.',
  },
  megabytes: { kind: 'count', default: '20', help: 'MB of the history that is mirrored.' },
  rounds: { kind: 'count', default: '7', help: 'How often everything is measured.' },
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const FEW_BRANCHES = 10
/** One measurement runs short work so often, because the processor clock of it is coarse. */
const SYNCS = 10
const PUSHED_AT_ONCE = 2000
const POLL_MS = 5
const TIMEOUT_MS = 120_000
/** What the forge does after its answer counts as well. */
const SETTLE_MS = 300

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const ms = (seconds: number): string => `${(seconds * 1000).toFixed(seconds < 0.1 ? 1 : 0)} ms`
const ratio = (own: readonly number[], other: readonly number[]): string => {
  const [a, b] = [median([...own]), median([...other])]
  return `${(a / b).toFixed(2)} (${ms(a)} / ${ms(b)})`
}

/** Seconds of processor time of a command of git. */
async function gitSeconds(cwd: string, ...args: string[]): Promise<number> {
  const child = Bun.spawn(['git', '-c', 'gc.auto=0', ...args], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', GIT_TERMINAL_PROMPT: '0' },
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  if ((await child.exited) !== 0) throw new Error(`git ${args.join(' ')} failed`)
  const { cpuTime } = child.resourceUsage() ?? {}
  // Children of git, such as git-remote-https, are counted with it.
  return Number(cpuTime?.total ?? 0n) / 1e6
}

/** Both forges, and what a test does with the mirrors of the one that follows. */
class Mirrors {
  readonly #db: Database

  constructor(
    readonly own: Hearth,
    readonly remote: Hearth,
    readonly directory: string,
  ) {
    this.#db = new Database(join(directory, 'own', 'data', 'hearth.db'), { readonly: true })
  }

  close(): void {
    this.#db.close()
  }

  link(name: string): { state: string; synced_at: string | null } | null {
    return this.#db
      .query<{ state: string; synced_at: string | null }, [string]>(
        'SELECT state, synced_at FROM mirrors WHERE repo_id = (SELECT id FROM repos WHERE name = ?)',
      )
      .get(name)
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    const end = performance.now() + TIMEOUT_MS
    while (!holds()) {
      if (performance.now() > end) throw new Error(`${what} never came`)
      await Bun.sleep(POLL_MS)
    }
  }

  address(name: string): string {
    return withToken(this.remote.address(name), this.remote.token)
  }

  async begin(name: string, source = name): Promise<void> {
    await this.own.create(name)
    await this.own.api('POST', `/repos/${OWNER.workspace}/${name}/mirror`, {
      url: this.remote.address(source),
      role: 'leader',
      secret: `x:${this.remote.token}`,
      settings: { notify: 'none' },
    })
    await this.until('the first sync', () => this.link(name)?.state === 'standing_by')
  }

  ask<T>(method: string, name: string, action = '', body?: unknown): Promise<T> {
    return this.own.api<T>(method, `/repos/${OWNER.workspace}/${name}/mirror${action}`, body)
  }

  async sync(name: string): Promise<void> {
    const before = this.link(name)?.synced_at
    await this.ask('POST', name, '/sync')
    await this.until('a sync', () => this.link(name)?.synced_at !== before)
  }

  /** Processor time of this forge, without what the same number of plain requests takes. */
  async seconds(count: number, work: () => Promise<unknown>): Promise<number> {
    const began = cpuOf(this.own.pid)
    for (let at = 0; at < count; at++) await work()
    await Bun.sleep(SETTLE_MS)
    return (cpuOf(this.own.pid) - began) / count
  }
}

async function syncRow(mirrors: Mirrors, name: string, rounds: number): Promise<string> {
  const clone = join(mirrors.directory, `${name}.git`)
  await git(mirrors.directory, 'clone', '-q', '--mirror', mirrors.address(name), clone)
  const taken: Record<'sync' | 'request' | 'git', number[]> = { sync: [], request: [], git: [] }
  for (let round = -1; round < rounds; round++) {
    const sync = await mirrors.seconds(SYNCS, () => mirrors.sync(name))
    const request = await mirrors.seconds(SYNCS, () => mirrors.ask('GET', name))
    let seconds = 0
    for (let at = 0; at < SYNCS; at++) seconds += await gitSeconds(clone, 'fetch', '-q')
    // The first round warms up.
    if (round < 0) continue
    taken.sync.push(sync - request)
    taken.request.push(request)
    taken.git.push(seconds / SYNCS)
  }
  return ratio(taken.sync, taken.git)
}

async function firstSyncRow(mirrors: Mirrors, rounds: number): Promise<string> {
  const own: number[] = []
  const others: number[] = []
  for (let round = 0; round < rounds; round++) {
    own.push(await mirrors.seconds(1, () => mirrors.begin(`history-${round}`, 'history')))
    const into = join(mirrors.directory, `clone-${round}`)
    const address = mirrors.address('history')
    others.push(await gitSeconds(mirrors.directory, 'clone', '-q', '--mirror', address, into))
    rmSync(into, { recursive: true, force: true })
  }
  return ratio(own, others)
}

/** An import of the same history, by its address alone. */
async function importRow(mirrors: Mirrors, rounds: number): Promise<string> {
  const own: number[] = []
  const others: number[] = []
  const importOne = async (round: number): Promise<void> => {
    const { id } = await mirrors.own.api<{ id: string }>('POST', '/imports', {
      source: 'git',
      url: mirrors.remote.address('history'),
      token: mirrors.remote.token,
      workspace: OWNER.workspace,
      name: `imported-${round}`,
    })
    for (;;) {
      const { state } = await mirrors.own.api<{ state: string }>('GET', `/imports/${id}`)
      if (state === 'done') return
      if (state === 'failed') throw new Error('the import failed')
      await Bun.sleep(10 * POLL_MS)
    }
  }
  for (let round = 0; round < rounds; round++) {
    own.push(await mirrors.seconds(1, () => importOne(round)))
    const into = join(mirrors.directory, `clone-${round}`)
    const address = mirrors.address('history')
    others.push(await gitSeconds(mirrors.directory, 'clone', '-q', '--mirror', address, into))
    rmSync(into, { recursive: true, force: true })
  }
  return ratio(own, others)
}

const PROBE_MINUTES = 2
const IN_A_DAY_MS = 86_400_000

/** The share of a core that the probes of many links take, beyond that of the idle forge. */
async function probesRow(mirrors: Mirrors, name: string, links: number): Promise<string> {
  const { own, remote } = mirrors
  const share = async (): Promise<number> => {
    const began = cpuOf(own.pid)
    await Bun.sleep(PROBE_MINUTES * 60_000)
    return (cpuOf(own.pid) - began) / (PROBE_MINUTES * 60)
  }
  const idle = await share()
  await remote.api('POST', `/repos/${OWNER.workspace}/${name}/visibility`, {
    private: false,
    confirm: `${OWNER.workspace}/${name}`,
  })
  for (let at = 0; at < links; at++) await own.create(`probed-${at}`)
  const db = new Database(join(mirrors.directory, 'own', 'data', 'hearth.db'))
  db.run('PRAGMA busy_timeout = 10000')
  const columns = db
    .query<{ name: string }, []>(`SELECT name FROM pragma_table_info('mirrors')`)
    .all()
    .map((column) => column.name)
  // Copies of one link, without its secret, which is sealed for it alone. Their syncs are not due.
  const changed: Record<string, string> = {
    id: `'rmt_' || substr(repos.id, 5)`,
    repo_id: 'repos.id',
    secret: 'NULL',
    probe_at: `${Date.now()} + abs(random() % 60000)`,
    sync_at: `${Date.now() + IN_A_DAY_MS}`,
  }
  db.run(
    `INSERT INTO mirrors (${columns.join(', ')})
     SELECT ${columns.map((column) => changed[column] ?? `link.${column}`).join(', ')}
     FROM repos, (SELECT * FROM mirrors WHERE repo_id = (SELECT id FROM repos WHERE name = ?)) link
     WHERE repos.name LIKE 'probed-%'`,
    [name],
  )
  await Bun.sleep(10_000)
  const busy = await share()
  const { probed } = db
    .query<{ probed: number }, []>(
      `SELECT count(*) AS probed FROM mirrors WHERE probes_passed > 1 OR probes_failed > 0`,
    )
    .get() ?? { probed: 0 }
  db.close()
  return `${((busy - idle) * 100).toFixed(2)} % of a core (idle ${(idle * 100).toFixed(2)} %, ${probed} were probed)`
}

type LfsAction = { readonly href: string; readonly header?: Record<string, string> }

/** Seconds that a request with or without a body takes, with its answer read. */
async function secondsOf(url: string, init: RequestInit): Promise<number> {
  const began = performance.now()
  const response = await fetch(url, init)
  for await (const _ of response.body ?? []);
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return (performance.now() - began) / 1000
}

/** One after the other, in both orders: what comes first finds the memory and the disk as uploads left them. */
async function inTurn(round: number, ...runs: (() => Promise<void>)[]): Promise<void> {
  for (const run of round % 2 === 0 ? runs : runs.toReversed()) await run()
}

/** A file of Git LFS beside one of a release, which is a plain upload and download of the same forge. */
async function largeFileRows(
  { own }: Mirrors,
  megabytes: number,
  rounds: number,
): Promise<{ up: string; down: string }> {
  await own.create('files')
  const repo = `${OWNER.workspace}/files`
  await own.api('POST', `/repos/${repo}/commits`, {
    branch: 'main',
    message: 'Begin',
    files: [{ path: 'README.md', action: 'put', content: '# Files' }],
  })
  const { id } = await own.api<{ id: string }>('POST', `/repos/${repo}/releases`, {
    tag_name: 'v1',
  })
  const authorization = `Bearer ${own.token}`
  const action = async (
    operation: 'upload' | 'download',
    oid: string,
    size: number,
  ): Promise<LfsAction> => {
    const response = await fetch(`${own.address('files')}/info/lfs/objects/batch`, {
      method: 'POST',
      headers: {
        authorization: own.authorization,
        accept: 'application/vnd.git-lfs+json',
        'content-type': 'application/vnd.git-lfs+json',
      },
      body: JSON.stringify({ operation, transfers: ['basic'], objects: [{ oid, size }] }),
    })
    const { objects } = (await response.json()) as {
      objects: { actions?: Record<string, LfsAction> }[]
    }
    const found = objects[0]?.actions?.[operation]
    if (!found) throw new Error(`no ${operation} of ${oid}: ${JSON.stringify(objects)}`)
    return found
  }
  const taken: Record<'up' | 'down' | 'plainUp' | 'plainDown', number[]> = {
    up: [],
    down: [],
    plainUp: [],
    plainDown: [],
  }
  for (let round = -1; round < rounds; round++) {
    // Each has bytes of its own, so that none is there already.
    const [large, plain] = [0, 1].map(() => {
      const bytes = new Uint8Array(megabytes << 20)
      for (let at = 0; at < bytes.length; at += 65_536)
        crypto.getRandomValues(bytes.subarray(at, at + 65_536))
      return bytes
    }) as [Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>]
    const oid = createHash('sha256').update(large).digest('hex')
    const upload = await action('upload', oid, large.length)
    const putFile = async (): Promise<void> => {
      const seconds = await secondsOf(upload.href, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', ...upload.header },
        body: large,
      })
      if (round >= 0) taken.up.push(seconds)
    }
    const postAsset = async (): Promise<void> => {
      const seconds = await secondsOf(
        `${own.url}/api/v1/repos/${repo}/releases/${id}/assets?name=plain-${round}.bin`,
        {
          method: 'POST',
          headers: { authorization, 'content-type': 'application/octet-stream' },
          body: plain,
        },
      )
      if (round >= 0) taken.plainUp.push(seconds)
    }
    await inTurn(round, putFile, postAsset)
    const download = await action('download', oid, large.length)
    const assets = await own.api<{ name: string; download_url: string }[]>(
      'GET',
      `/repos/${repo}/releases/${id}/assets`,
    )
    const address = assets.find(({ name }) => name === `plain-${round}.bin`)?.download_url ?? ''
    const getFile = async (): Promise<void> => {
      const seconds = await secondsOf(download.href, { headers: download.header ?? {} })
      if (round >= 0) taken.down.push(seconds)
    }
    const getAsset = async (): Promise<void> => {
      const seconds = await secondsOf(address, { headers: { authorization } })
      if (round >= 0) taken.plainDown.push(seconds)
    }
    await inTurn(round, getFile, getAsset)
  }
  return { up: ratio(taken.up, taken.plainUp), down: ratio(taken.down, taken.plainDown) }
}

/** How long a take-over takes, and the plan to give the lead back. */
async function takeOverRow(
  mirrors: Mirrors,
  name: string,
  rounds: number,
): Promise<{ takeOver: string; plan: string }> {
  const taken: Record<'takeOver' | 'plan', number[]> = { takeOver: [], plan: [] }
  for (let round = 0; round < rounds; round++) {
    await mirrors.until('the lead of the remote', () => mirrors.link(name)?.state === 'standing_by')
    const began = performance.now()
    await mirrors.ask('POST', name, '/take-over')
    const between = performance.now()
    await mirrors.ask('POST', name, '/hand-back', { dry_run: true })
    taken.takeOver.push((between - began) / 1000)
    taken.plan.push((performance.now() - between) / 1000)
    await mirrors.ask('POST', name, '/hand-back')
  }
  return { takeOver: ms(median(taken.takeOver)), plan: ms(median(taken.plan)) }
}

/** A part of the branches is pushed by one pattern: git takes seconds for a thousand names. */
const PARTS = 10
const folderOf = (branch: number): string => `topic-${branch % PARTS}`

/** A repository of the remote with so many branches over a few commits. */
async function createBranches(remote: Hearth, directory: string, count: number): Promise<string> {
  const name = `branches-${count}`
  const work = join(directory, `${name}-source`)
  await git('/', 'init', '-q', '--bare', work)
  const tree = (await git(work, 'hash-object', '-t', 'tree', '-w', '/dev/null')).trim()
  let commit = (await git(work, 'commit-tree', tree, '-m', 'First')).trim()
  await git(work, 'update-ref', 'refs/heads/main', commit)
  for (let at = 0; at < count; at += PUSHED_AT_ONCE) {
    commit = (await git(work, 'commit-tree', tree, '-p', commit, '-m', `${at}`)).trim()
    for (let one = at; one < Math.min(count, at + PUSHED_AT_ONCE); one++)
      await Bun.write(join(work, 'refs', 'heads', folderOf(one), String(one)), `${commit}\n`)
  }
  await remote.create(name)
  const address = withToken(remote.address(name), remote.token)
  await git(work, 'pack-refs', '--all')
  await git(work, 'push', '-q', address, 'refs/heads/main')
  for (let part = 0; part < PARTS; part++) {
    const names = `refs/heads/${folderOf(part)}/*`
    await git(work, 'push', '-q', address, `${names}:${names}`)
  }
  return name
}

await runScript('bun scripts/bench/mirrors.ts [options]', OPTIONS, async (options) => {
  const directory = mkdtempSync(join(tmpdir(), 'hearth-bench-mirrors-'))
  const executable = join(directory, 'hearth')
  copyFileSync(requireBuilt(options.executable), executable)
  const rounds = Number(options.rounds)
  const environment = { HEARTH_OUTBOUND_ALLOW: 'http://127.0.0.1' }
  const own = await startHearth(executable, join(directory, 'own'), { environment })
  const remote = await startHearth(executable, join(directory, 'remote'), { name: 'beside' })
  const mirrors = new Mirrors(own, remote, directory)
  try {
    const few = await createBranches(remote, directory, FEW_BRANCHES)
    const many = await createBranches(remote, directory, Number(options.branches))
    const history = options.history === '' ? join(directory, 'history.git') : options.history
    const what = options.history === '' ? `${options.megabytes} MB` : history
    if (options.history === '') await generate(history, Number(options.megabytes))
    await remote.create('history')
    await git(history, 'push', '-q', mirrors.address('history'), 'refs/heads/*:refs/heads/*')
    for (const name of [few, many]) await mirrors.begin(name)
    say(`${availableParallelism()} cores, load of the machine ${loadavg()[0]?.toFixed(1)}`)
    say('| Mirrors | Processor time beside git, or what was measured |\n| --- | --- |')
    say(
      `| Sync of nothing, ${FEW_BRANCHES} branches, beside \`git fetch\` | ${await syncRow(mirrors, few, rounds)} |`,
    )
    say(
      `| Sync of nothing, ${options.branches} branches | ${await syncRow(mirrors, many, rounds)} |`,
    )
    say(
      `| First sync of ${what}, beside \`git clone --mirror\` | ${await firstSyncRow(mirrors, rounds)} |`,
    )
    say(
      `| Import of ${what}, beside \`git clone --mirror\` | ${await importRow(mirrors, rounds)} |`,
    )
    const files = await largeFileRows(mirrors, Number(options.file), rounds)
    say(`| LFS: ${options.file} MB up, waiting, beside a file of a release | ${files.up} |`)
    say(`| LFS: ${options.file} MB down | ${files.down} |`)
    const { takeOver, plan } = await takeOverRow(mirrors, many, rounds)
    say(`| Take-over with ${options.branches} branches | ${takeOver} |`)
    say(`| Plan of a hand-back with ${options.branches} branches | ${plan} |`)
    const links = Number(options.links)
    if (links > 0)
      say(`| ${links} links probed a minute | ${await probesRow(mirrors, few, links)} |`)
    return 0
  } finally {
    mirrors.close()
    await own.stop()
    await remote.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
