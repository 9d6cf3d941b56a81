/**
 * Take-overs and hand-backs between two real servers that are killed at random moments, while people
 * push to both: no acknowledged commit of either side is lost.
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
  type Server,
} from './mirror-kills/servers.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
  gitea: { kind: 'text', default: '', help: 'The program of Gitea; else another Hearth leads.' },
  source: { kind: 'text', default: '.', help: 'The folder of its module, with its templates.' },
  rounds: { kind: 'count', default: '200', help: 'How often the lead changes hands and back.' },
  minutes: { kind: 'count', default: '25', help: 'No round begins after these.' },
} as const satisfies Record<string, Option>

const MIRROR = '/repos/acme/light/mirror'
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

const linkOf = (hearth: Forge): Promise<Link> => patiently(() => hearth.api<Link>('GET', MIRROR))

async function until(hearth: Forge, what: string, isThere: (link: Link) => boolean): Promise<void> {
  for (let tries = 0; ; tries++) {
    const link = await linkOf(hearth)
    if (isThere(link)) return
    if (tries > MAX_TRIES) throw new Error(`${what} never came: ${JSON.stringify(link)}`)
    await Bun.sleep(PAUSE_MS)
  }
}

const stateOf = ({ remotes }: Link): string => remotes[0]?.state ?? 'none'

/** Kills one of the servers after a while, and starts it again. */
async function crashSometime(servers: readonly Server[]): Promise<void> {
  const victim = servers[random(servers.length + 1)]
  if (!victim) return
  await Bun.sleep(random(MAX_KILL_DELAY_MS))
  totals.kills[victim.name] = (totals.kills[victim.name] ?? 0) + 1
  await victim.crash()
}

async function pushSome(commits: Commits, server: Server, most: number): Promise<void> {
  for (let count = random(most + 1); count > 0; count--) await commits.push(server, someBranch())
}

/** Gives the lead back. Where both sides moved a branch, either of them wins. */
async function handBack(hearth: Forge): Promise<void> {
  for (let tries = 0; ; tries++) {
    const link = await linkOf(hearth)
    if (stateOf(link) === 'standing_by' || stateOf(link) === 'ci_failover') return
    if (tries > MAX_TRIES) throw new Error(`no hand-back: ${JSON.stringify(link)}`)
    if (stateOf(link) === 'takeover')
      try {
        const { plan } = await hearth.api<Link>('POST', `${MIRROR}/hand-back`, { dry_run: true })
        const conflicts = (plan?.refs ?? []).filter(({ action }) => action === 'conflict')
        totals.conflicts += conflicts.length
        await hearth.api('POST', `${MIRROR}/hand-back`, {
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
async function round(hearth: Forge, remote: Server, commits: Commits): Promise<void> {
  const servers = [hearth, remote]
  await Promise.all([crashSometime(servers), pushSome(commits, remote, 2)])
  await patiently(() => hearth.api('POST', `${MIRROR}/take-over`))
  await Promise.all([
    crashSometime(servers),
    pushSome(commits, hearth, 3),
    // Some people have not heard of it.
    pushSome(commits, remote, 1),
  ])
  await Promise.all([crashSometime(servers), handBack(hearth), pushSome(commits, hearth, 1)])
  await until(hearth, 'the lead of the remote', (link) =>
    ['standing_by', 'ci_failover'].includes(stateOf(link)),
  )
  totals.rounds++
}

/** Whether both sides have the same branches once nobody pushes any more. */
async function isSettled(hearth: Forge, remote: Server, commits: Commits): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    await patiently(() => hearth.api('POST', `${MIRROR}/sync`))
    await Bun.sleep(PAUSE_MS * 4)
    const [here, there] = [await commits.branchesOf(hearth), await commits.branchesOf(remote)]
    const same = here && there && [...there].every(([name, oid]) => here.get(name) === oid)
    if (same && here.size === there.size) return true
  }
  return false
}

if (import.meta.main)
  await runScript('bun test/system/mirror-kills.ts [options]', OPTIONS, async (options) => {
    const root = mkdtempSync(join(tmpdir(), 'hearth-mirror-'))
    await Bun.$`chmod 755 ${root}`.quiet()
    mkdirSync(join(root, 'work'))
    const executable = requireBuilt(options.executable)
    const hearth = await startHearth(join(root, 'hearth'), 'hearth', executable)
    const remote =
      options.gitea === ''
        ? await startHearth(join(root, 'other'), 'other', executable)
        : await startGitea(join(root, 'gitea'), options.gitea, options.source)
    const commits = new Commits(join(root, 'work'))
    const end = performance.now() + Number(options.minutes) * 60_000
    let isSame = false
    let lost: unknown[] = []
    try {
      await commits.push(remote, 'b0')
      await hearth.api('POST', MIRROR, { url: remote.repo, role: 'leader', secret: remote.secret })
      await until(hearth, 'the first sync', (link) => stateOf(link) === 'standing_by')
      while (totals.rounds < Number(options.rounds) && performance.now() < end) {
        await round(hearth, remote, commits)
        lost = await commits.lost(hearth, remote)
        if (lost.length > 0) break
        if (totals.rounds % 20 === 0) console.log(`${totals.rounds} rounds, nothing lost`)
      }
      isSame = await isSettled(hearth, remote, commits)
    } finally {
      await hearth.stop()
      await remote.stop()
      if (lost.length === 0 && isSame) rmSync(root, { recursive: true, force: true })
      else console.log(`everything is at ${root}`)
    }
    const by = Map.groupBy(commits.acknowledged, ({ server }) => server)
    for (const [server, all] of by) console.log(`${server} acknowledged ${all.length} commits`)
    console.log(totals, `${commits.refused} pushes refused or broken off`)
    console.log(`${lost.length} commits lost; ${isSame ? 'both sides are equal' : 'they differ'}`)
    if (lost.length > 0) console.log(lost)
    return lost.length === 0 && isSame ? 0 : 1
  })
