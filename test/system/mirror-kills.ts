/**
 * Take-overs and hand-backs between two real servers that are killed at random moments, while people
 * push to both: no acknowledged commit of either side is lost. Several repositories change hands at
 * once, so that a kill meets each in another step.
 * `bun test/system/mirror-kills.ts [--rounds 200] [--minutes 25] [--gitea PROGRAM --source FOLDER]`
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXECUTABLE, requireBuilt } from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import { Commits, type Branch } from './mirror-kills/commits.ts'
import {
  Refused,
  startGitea,
  startHearth,
  type Forge,
  type Place,
  type Server,
} from './mirror-kills/servers.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  gitea: { kind: 'text', default: '', help: 'The program of Gitea; else another Hearth leads.' },
  source: { kind: 'text', default: '.', help: 'The folder of its module, with its templates.' },
  rounds: { kind: 'count', default: '200', help: 'How often the lead changes hands and back.' },
  repos: { kind: 'count', default: '4', help: 'Repositories that share the rounds.' },
  minutes: { kind: 'count', default: '25', help: 'No round begins after these.' },
} as const satisfies Record<string, Option>

const MAX_TRIES = 400
const PAUSE_MS = 150
const MAX_KILL_DELAY_MS = 1500
const BRANCHES = 4

type Plan = { refs: { ref: string; action: string }[] }
type Link = { remotes: { state: string; last_error: string | null }[]; plan: Plan | null }

const random = (below: number): number => Math.floor(Math.random() * below)
const someBranch = (): Branch => `b${random(BRANCHES)}`

const totals = { rounds: 0, kills: {} as Record<string, number>, conflicts: 0, asked: 0 }

/** Asks until the server answers; a killed one refuses connections for a moment. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      totals.asked++
      return await ask()
    } catch (error) {
      const isBusy = !(error instanceof Refused) || error.status >= 500 || error.status === 409
      if (!isBusy || tries > MAX_TRIES) throw error
      await Bun.sleep(PAUSE_MS)
    }
}

/** Servers that are being started again. */
const away = new Set<Server>()

/** Kills one of the servers after a while, and starts it again. */
async function crashSometime(servers: readonly Server[]): Promise<void> {
  const victim = servers[random(servers.length + 1)]
  if (!victim) return
  await Bun.sleep(random(MAX_KILL_DELAY_MS))
  if (away.has(victim)) return
  away.add(victim)
  totals.kills[victim.name] = (totals.kills[victim.name] ?? 0) + 1
  await victim.crash()
  away.delete(victim)
}

const stateOf = ({ remotes }: Link): string => remotes[0]?.state ?? 'none'

/** One repository, which is on both servers. */
class Lane {
  lost: unknown[] = []
  isSame = false
  readonly commits: Commits
  readonly #mirror: string

  constructor(
    readonly repo: string,
    work: string,
    private readonly hearth: Forge,
    private readonly remote: Server,
    private readonly own: Place,
    private readonly theirs: Place,
  ) {
    mkdirSync(work, { recursive: true })
    this.commits = new Commits(work)
    this.#mirror = `/repos/acme/${repo}/mirror`
  }

  async begin(): Promise<void> {
    const { repo, secret } = this.theirs
    await this.commits.push(this.theirs, 'b0')
    await this.hearth.api('POST', this.#mirror, { url: repo, role: 'leader', secret })
    await this.#until('the first sync', (link) => stateOf(link) === 'standing_by')
  }

  #link(): Promise<Link> {
    return patiently(() => this.hearth.api<Link>('GET', this.#mirror))
  }

  async #until(what: string, isThere: (link: Link) => boolean): Promise<void> {
    for (let tries = 0; ; tries++) {
      const link = await this.#link()
      if (isThere(link)) return
      if (tries > MAX_TRIES) throw new Error(`${what} never came: ${JSON.stringify(link)}`)
      await Bun.sleep(PAUSE_MS)
    }
  }

  async #pushSome(place: Place, most: number): Promise<void> {
    for (let count = random(most + 1); count > 0; count--)
      await this.commits.push(place, someBranch())
  }

  /** Gives the lead back. Where both sides moved a branch, either of them wins. */
  async #handBack(): Promise<void> {
    for (let tries = 0; ; tries++) {
      const link = await this.#link()
      if (stateOf(link) === 'standing_by' || stateOf(link) === 'ci_failover') return
      if (tries > MAX_TRIES) throw new Error(`no hand-back: ${JSON.stringify(link)}`)
      if (stateOf(link) === 'takeover')
        try {
          const { plan } = await this.hearth.api<Link>('POST', `${this.#mirror}/hand-back`, {
            dry_run: true,
          })
          const conflicts = (plan?.refs ?? []).filter(({ action }) => action === 'conflict')
          totals.conflicts += conflicts.length
          await this.hearth.api('POST', `${this.#mirror}/hand-back`, {
            resolve: Object.fromEntries(
              conflicts.map(({ ref }) => [ref, random(2) === 0 ? 'ours' : 'theirs']),
            ),
          })
        } catch (error) {
          if (error instanceof Refused && error.status < 500 && error.status !== 409) throw error
        }
      await Bun.sleep(PAUSE_MS)
    }
  }

  /** The remote leads, then this forge, then the remote again; somebody is killed in each part. */
  async round(): Promise<void> {
    const servers = [this.hearth, this.remote]
    await Promise.all([crashSometime(servers), this.#pushSome(this.theirs, 2)])
    await patiently(() => this.hearth.api('POST', `${this.#mirror}/take-over`))
    await Promise.all([
      crashSometime(servers),
      this.#pushSome(this.own, 3),
      // Some people have not heard of it.
      this.#pushSome(this.theirs, 1),
    ])
    await Promise.all([crashSometime(servers), this.#handBack(), this.#pushSome(this.own, 1)])
    await this.#until('the lead of the remote', (link) =>
      ['standing_by', 'ci_failover'].includes(stateOf(link)),
    )
    this.lost = await this.commits.lost([this.own, this.theirs], this.hearth.data, this.repo)
  }

  /** Whether both sides come to have the same branches once nobody pushes any more. */
  async settle(): Promise<void> {
    for (let tries = 0; tries < MAX_TRIES && !this.isSame; tries++) {
      await patiently(() => this.hearth.api('POST', `${this.#mirror}/sync`))
      await Bun.sleep(PAUSE_MS * 4)
      const here = await this.commits.branchesOf(this.own)
      const there = await this.commits.branchesOf(this.theirs)
      this.isSame =
        here !== null &&
        there !== null &&
        here.size === there.size &&
        [...there].every(([name, oid]) => here.get(name) === oid)
    }
  }
}

/** Rounds until there were enough, or a commit is lost. */
async function runLane(lane: Lane, rounds: number, end: number): Promise<void> {
  await lane.begin()
  while (totals.rounds < rounds && performance.now() < end && lane.lost.length === 0) {
    totals.rounds++
    await lane.round()
    if (totals.rounds % 20 === 0) console.log(`${totals.rounds} rounds`)
  }
}

function report(lanes: readonly Lane[]): number {
  const acknowledged = lanes.flatMap(({ commits }) => commits.acknowledged)
  for (const [server, all] of Map.groupBy(acknowledged, (one) => one.server))
    console.log(`${server} acknowledged ${all.length} commits`)
  const refused = lanes.reduce((sum, { commits }) => sum + commits.refused, 0)
  console.log(totals, `${refused} pushes refused or broken off`)
  const lost = lanes.flatMap((lane) => lane.lost)
  const isSame = lanes.every((lane) => lane.isSame)
  console.log(`${lost.length} commits lost; ${isSame ? 'both sides are equal' : 'they differ'}`)
  if (lost.length > 0) console.log(lost)
  return lost.length === 0 && isSame ? 0 : 1
}

if (import.meta.main)
  await runScript('bun test/system/mirror-kills.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-mirror-'))
    await Bun.$`chmod 755 ${root}`.quiet()
    const executable = requireBuilt(options.executable)
    const hearth = await startHearth(join(root, 'hearth'), 'hearth', executable)
    const remote =
      options.gitea === ''
        ? await startHearth(join(root, 'other'), 'other', executable)
        : await startGitea(join(root, 'gitea'), options.gitea, options.source)
    const end = performance.now() + Number(options.minutes) * 60_000
    const lanes: Lane[] = []
    let status = 1
    try {
      for (let at = 0; at < Number(options.repos); at++) {
        const repo = `light${at}`
        const [own, theirs] = [await hearth.create(repo), await remote.create(repo)]
        lanes.push(new Lane(repo, join(root, `work${at}`), hearth, remote, own, theirs))
      }
      await Promise.all(lanes.map((lane) => runLane(lane, Number(options.rounds), end)))
      await Promise.all(lanes.map((lane) => lane.settle()))
    } finally {
      await hearth.stop()
      await remote.stop()
      status = report(lanes)
      if (status === 0) rmSync(root, { recursive: true, force: true })
      else console.log(`everything is at ${root}`)
    }
    return status
  })
