/**
 * Mirrors of a built forge beside git with the same remote, in turn in one run: a sync that finds
 * nothing beside `git fetch`, the first sync of a history beside `git clone --mirror`, and how long a
 * take-over and the plan of a hand-back take with many branches. The remote is another forge.
 */
import { Database } from 'bun:sqlite'
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
    const history = join(directory, 'history.git')
    await generate(history, Number(options.megabytes))
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
      `| First sync of ${options.megabytes} MB, beside \`git clone --mirror\` | ${await firstSyncRow(mirrors, rounds)} |`,
    )
    const { takeOver, plan } = await takeOverRow(mirrors, many, rounds)
    say(`| Take-over with ${options.branches} branches | ${takeOver} |`)
    say(`| Plan of a hand-back with ${options.branches} branches | ${plan} |`)
    return 0
  } finally {
    mirrors.close()
    await own.stop()
    await remote.stop()
    rmSync(directory, { recursive: true, force: true })
  }
})
