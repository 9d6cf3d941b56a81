/**
 * Runs commands of strangers. Made once for an installation: it finds out what walls there are,
 * gives out folders to work in, and refuses to run anything when there are no walls, unless the
 * operator has said that none are wanted.
 */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { findGroups, type Groups } from './cgroups.ts'
import type { Isolation } from './isolation.ts'
import type { Limits } from './limits.ts'
import { runOpen, runShut, type Outcome, type RunOptions, type Walls } from './run.ts'
import { COVERED } from './sandbox.ts'
import { seccompFilter } from './seccomp.ts'
import { BARE, PATH } from './shell.ts'
import { giveTo, makeWorkplace, removeTree, sweepWorkplaces, type Workplace } from './workplace.ts'

export type RunnerOptions = {
  /** A folder of its own for the folders of jobs. */
  readonly directory: string
  readonly isolation: 'required' | 'none'
  /** Whether commands have the network of this machine. */
  readonly network: boolean
  /** Folders with programs, besides the system's, that commands may read. */
  readonly readable: readonly string[]
  /** Folders that commands must never see. */
  readonly hidden: readonly string[]
}

export type Runner = {
  /** What commands are shut in by; tried once, at the first call. */
  isolation(): Promise<Isolation>
  /**
   * Takes away what earlier processes left. For the start, before anything runs, by the only
   * process that runs commands there.
   */
  sweep(): Promise<void>
  /** A new folder to work in, with nothing in it. `id` is made of `a-z 0-9 _ -`. */
  workplace(id: string): Promise<Workplace>
  /** Hands a filled folder over to the user that commands run as. */
  ready(place: Workplace): Promise<void>
  /** Runs one command in it. Gives `not_started` when there are no walls. */
  run(options: RunOptions): Promise<Outcome>
  /** False when something of it would not go; it is tried again at the next start. */
  remove(place: Workplace): Promise<boolean>
}

/**
 * Users from here on belong to nobody: systemd gives them to services while they run (Users,
 * Groups, UIDs and GIDs on systemd systems).
 */
const FIRST_UID = 61184
const UIDS = 4_000

const TRIAL: Limits = {
  time: 20_000,
  memory: 256 * 1024 ** 2,
  disk: 64 * 1024 ** 2,
  processes: 64,
  files: 256,
  output: 65_536,
}

/** Prints what is around it; every line is held against what must be so. */
const TRIAL_COMMAND = [
  'echo uid=$(id -u)',
  'echo devices=$(tail -n +3 /proc/net/dev | tr -d " " | cut -d: -f1 | tr "\\n" ,)',
  'for name in "Max processes" "Max data size" "Max file size" "Max open files"; do grep "^$name" /proc/self/limits; done',
  'touch /trial 2>/dev/null && echo root-is-writable',
  'ls / | tr "\\n" ,; echo',
  'echo written >/build/trial && cat /build/trial',
].join('\n')

/** What the trial shows that is not as it must be; null when all is. */
function faultOf(text: string, network: boolean): string | null {
  const limit = (name: string, value: number): string | null =>
    new RegExp(`^${name}\\s+${value}\\s+${value}\\s`, 'm').test(text)
      ? null
      : `the limit "${name.toLowerCase()}" could not be set`
  if (!text.includes('uid=1000')) return 'the user inside is not the one that was asked for'
  if (!network && !/^devices=(lo,)?$/m.test(text)) return 'the network could not be taken away'
  if (text.includes('root-is-writable')) return 'the root of the file system can be written to'
  if (!text.includes('written')) return 'the working folder cannot be written to'
  return (
    limit('Max processes', TRIAL.processes) ??
    limit('Max data size', TRIAL.memory) ??
    limit('Max file size', TRIAL.disk) ??
    limit('Max open files', TRIAL.files)
  )
}

const has = (program: string): boolean => Bun.which(program, { PATH }) !== null

async function versionOf(): Promise<string | null> {
  const child = Bun.spawn(['bwrap', '--version'], {
    env: BARE,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  return /(\d+(?:\.\d+)+)/.exec(await new Response(child.stdout).text())?.[1] ?? null
}

/**
 * util-linux's setpriv can have the kernel end a process when its parent ends (prctl(2),
 * PR_SET_PDEATHSIG).
 */
async function tieOf(): Promise<readonly string[]> {
  const tie = ['setpriv', '--pdeathsig', 'KILL']
  if (!has('setpriv')) return []
  const child = Bun.spawn([...tie, 'true'], {
    env: BARE,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return (await child.exited) === 0 ? tie : []
}

const isOlder = (version: string, than: readonly [number, number]): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < than[0] || (major === than[0] && minor < than[1])
}

export function createRunner(options: RunnerOptions): Runner {
  const isRoot = process.getuid?.() === 0
  const filter = seccompFilter(process.arch)
  const busy = new Set<number>()
  let groups: Groups | null = null
  let counter = 0
  let tie: readonly string[] = []

  /** A user of its own for every folder, so that two commands have nothing in common. */
  const uids = new Map<string, number>()
  function takeUid(id: string): number {
    let uid = FIRST_UID + ((process.pid * 16) % UIDS)
    while (busy.has(uid)) uid = FIRST_UID + ((uid + 1 - FIRST_UID) % UIDS)
    busy.add(uid)
    uids.set(id, uid)
    return uid
  }

  async function shut(run: RunOptions): Promise<Outcome> {
    const group =
      groups?.make(`${++counter}`, {
        memory: run.limits.memory,
        processes: run.limits.processes + 16,
      }) ?? null
    const walls: Walls = {
      uid: isRoot ? (uids.get(run.place.id) ?? takeUid(run.place.id)) : null,
      network: options.network,
      readable: options.readable,
      hidden: options.hidden,
      seccomp: filter,
      group,
      memoryHeld: groups?.controls.includes('memory') ?? false,
      tie,
    }
    try {
      return await runShut(run, walls)
    } finally {
      // Processes that were ended take a moment to be gone.
      for (let again = 0; group && !group.remove() && again < 20; again++) await Bun.sleep(50)
    }
  }

  const workplace = (id: string): Promise<Workplace> => makeWorkplace(options.directory, id)
  async function ready(place: Workplace): Promise<void> {
    if (isRoot && options.isolation !== 'none')
      await giveTo(uids.get(place.id) ?? takeUid(place.id), place.work)
  }
  async function remove(place: Workplace): Promise<boolean> {
    const gone = await removeTree(place.folder)
    const uid = uids.get(place.id)
    if (uid !== undefined) busy.delete(uid)
    uids.delete(place.id)
    return gone
  }

  async function probe(): Promise<Isolation> {
    const missing = (reason: string): Isolation => ({ kind: 'missing', reason })
    await mkdir(options.directory, { recursive: true, mode: 0o700 })
    tie = await tieOf()
    if (options.isolation === 'none') return { kind: 'none' }
    if (process.platform !== 'linux')
      return missing(`this system (${process.platform}) has no namespaces; only Linux does`)
    if (!has('bwrap'))
      return missing('bubblewrap is not installed; install the package bubblewrap and restart')
    const version = await versionOf()
    if (version === null || isOlder(version, [0, 8]))
      return missing(
        `bubblewrap ${version ?? 'of an unknown version'} is too old; 0.8 or newer is needed`,
      )
    const lacks = (isRoot ? ['unshare', 'setpriv', 'mount'] : []).filter((name) => !has(name))
    if (lacks.length > 0)
      return missing(`${lacks.join(' and ')} of the package util-linux cannot be found`)
    if (isRoot && !COVERED.some((path) => existsSync(path)))
      return missing(`none of the folders ${COVERED.join(', ')} exists`)
    const hole = options.readable.find((path) =>
      options.hidden.some((secret) => `${path.replace(/\/$/, '')}/`.startsWith(`${secret}/`)),
    )
    if (hole !== undefined)
      return missing(`checks.readable names ${hole}, which is inside the data directory`)
    groups = findGroups()
    groups?.sweep()
    return (
      (await tryOut()) ?? {
        kind: 'bubblewrap',
        version,
        user: isRoot ? 'other' : 'same',
        groups: groups?.controls ?? [],
        seccomp: filter !== null,
      }
    )
  }

  /** Null when the walls stand. */
  async function tryOut(): Promise<Isolation | null> {
    const place = await workplace(`trial-${process.pid}`)
    const parts: Uint8Array[] = []
    try {
      await ready(place)
      const { ended, exit_code } = await shut({
        place,
        command: TRIAL_COMMAND,
        limits: TRIAL,
        env: {},
        output: (bytes) => void parts.push(bytes),
      })
      const text = Buffer.concat(parts).toString('utf8')
      if (ended !== 'exited' || exit_code !== 0) {
        const last = text.trim().split('\n').at(-1)
        return { kind: 'missing', reason: `namespaces cannot be made here: ${last || ended}` }
      }
      const fault = faultOf(text, options.network)
      return fault === null ? null : { kind: 'missing', reason: fault }
    } catch (error) {
      return { kind: 'missing', reason: error instanceof Error ? error.message : String(error) }
    } finally {
      await remove(place)
    }
  }

  let probed: Promise<Isolation> | null = null
  const isolation = (): Promise<Isolation> => (probed ??= probe())

  return {
    isolation,
    workplace,
    ready,
    remove,
    sweep: async () => void (await sweepWorkplaces(options.directory)),
    async run(run) {
      const { kind } = await isolation()
      if (kind === 'missing')
        return { ended: 'not_started', exit_code: null, duration_ms: 0, left_out: false }
      return kind === 'none' ? runOpen(run, tie) : shut(run)
    },
  }
}
