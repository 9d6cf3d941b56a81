/**
 * Linux control groups, versions 1 and 2 (Documentation/admin-guide/cgroup-v2.rst and cgroup-v1).
 * They limit memory and number of all processes of a command together. Version 2 needs a group with
 * delegated controllers: the root group for root, or the parent of this process's group where a
 * service manager delegates it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type ControlGroup = {
  /** Files to which a process writes its id to join. */
  readonly procsFiles: readonly string[]
  /** How many processes the kernel has killed because the memory limit was reached. */
  countOomKills(): number
  /** Removes the group. Returns false while it contains processes. */
  remove(): boolean
}

export type ControlGroups = {
  /** The limits that the kernel enforces. */
  readonly limits: readonly Limit[]
  create(name: string, limits: { memory: number; processes: number }): ControlGroup
  /** Removes groups that ended servers left. */
  sweep(): void
}

type Limit = 'memory' | 'processes'

/** The groups below which groups of commands are created. */
type ControlGroupParent = {
  readonly version: 1 | 2
  readonly memory: string | null
  readonly pids: string | null
}

const PREFIX = 'hearth-command-'

const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

/** Whether a file could be written. */
function tryWrite(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

/** Whether a group is gone. */
const tryRemove = (path: string): boolean => {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}

/** Whether a group exists now. */
function tryCreate(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true })
    return true
  } catch {
    return false
  }
}

/** The folder of a process in each mounted hierarchy (proc(5), cgroups(7)). */
function readHierarchies(pid: number | 'self'): {
  v1: Map<string, string>
  v2: { mount: string; own: string } | null
} {
  const own = read(`/proc/${pid}/cgroup`)
    .split('\n')
    .map((line) => /^\d+:([^:]*):(.*)$/.exec(line))
    .filter((match) => match !== null)
  const mounts = read('/proc/self/mounts')
    .split('\n')
    .map((line) => line.split(' '))
  const v1 = new Map<string, string>()
  let v2: { mount: string; own: string } | null = null
  for (const [, mount = '', type, options = ''] of mounts) {
    if (type === 'cgroup') {
      for (const [, controllers = '', path = ''] of own) {
        for (const name of controllers.split(','))
          if (name !== '' && options.split(',').includes(name)) v1.set(name, join(mount, path))
      }
    } else if (type === 'cgroup2' && v2 === null) {
      const path = own.find(([, controllers]) => controllers === '')?.[2] ?? '/'
      v2 = { mount, own: join(mount, path) }
    }
  }
  return { v1, v2 }
}

/** The version 2 group that can delegate the controllers to new child groups. */
function findDelegated({ mount, own }: { mount: string; own: string }): string | null {
  const candidates = process.getuid?.() === 0 ? [mount, dirname(own)] : [dirname(own)]
  for (const group of candidates) {
    if (!group.startsWith(mount)) continue
    const offered = read(join(group, 'cgroup.controllers')).split(' ')
    if (!offered.includes('memory') && !offered.includes('pids')) continue
    const wanted = ['memory', 'pids'].filter(
      (name) =>
        offered.includes(name) &&
        !read(join(group, 'cgroup.subtree_control')).split(' ').includes(name),
    )
    if (wanted.every((name) => tryWrite(join(group, 'cgroup.subtree_control'), `+${name}`)))
      return group
  }
  return null
}

function findParent(): ControlGroupParent | null {
  const { v1, v2 } = readHierarchies('self')
  if (v1.has('memory') || v1.has('pids'))
    return { version: 1, memory: v1.get('memory') ?? null, pids: v1.get('pids') ?? null }
  const group = v2 && findDelegated(v2)
  if (group === null) return null
  const offered = read(join(group, 'cgroup.subtree_control')).split(' ')
  return {
    version: 2,
    memory: offered.includes('memory') ? group : null,
    pids: offered.includes('pids') ? group : null,
  }
}

const FILES = {
  1: {
    memory: ['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'],
    pids: 'pids.max',
    kills: 'memory.oom_control',
  },
  2: { memory: ['memory.max', 'memory.swap.max'], pids: 'pids.max', kills: 'memory.events' },
} as const

/**
 * The control groups of this machine; null when it offers none. A trial group tells which limits
 * hold: each is set and read back.
 */
export function findControlGroups(): ControlGroups | null {
  const parent = findParent()
  if (!parent) return null
  const groups = new ControlGroupTree(parent)
  const trial = groups.createGroup('trial', { memory: 64 * 1024 ** 2, processes: 16 })
  trial.remove()
  if (trial.enforced.length === 0) return null
  return {
    limits: trial.enforced,
    create: (name, limits) => groups.createGroup(name, limits),
    sweep: () => groups.sweep(),
  }
}

/** The kernel rounds a memory limit to pages. */
const MEMORY_ROUNDING_BYTES = 65_536

class ControlGroupTree {
  readonly #files

  constructor(private readonly parent: ControlGroupParent) {
    this.#files = FILES[parent.version]
  }

  createGroup(
    name: string,
    limits: { memory: number; processes: number },
  ): ControlGroup & { readonly enforced: readonly Limit[] } {
    const folder = (parent: string | null): string | null =>
      parent === null ? null : join(parent, `${PREFIX}${process.pid}-${name}`)
    const memory = folder(this.parent.memory)
    const pids = folder(this.parent.pids)
    const paths = [...new Set([memory, pids])].filter((path) => path !== null).filter(tryCreate)
    const enforced: Limit[] = []
    if (memory !== null && paths.includes(memory) && this.#limitMemory(memory, limits.memory))
      enforced.push('memory')
    if (pids !== null && paths.includes(pids) && this.#limitProcesses(pids, limits.processes))
      enforced.push('processes')
    return {
      enforced,
      procsFiles: paths.map((path) => join(path, 'cgroup.procs')),
      countOomKills: () => (memory === null ? 0 : this.#countOomKills(memory)),
      remove: () => paths.map(tryRemove).every(Boolean),
    }
  }

  sweep(): void {
    for (const folder of new Set([this.parent.memory, this.parent.pids])) {
      if (folder === null) continue
      for (const name of readdirSync(folder)) {
        const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
        if (pid > 0 && !existsSync(`/proc/${pid}`)) tryRemove(join(folder, name))
      }
    }
  }

  #limitMemory(group: string, bytes: number): boolean {
    const [limit, swap] = this.#files.memory
    tryWrite(join(group, limit), String(bytes))
    // Version 1 counts memory and swap together; version 2 counts swap alone.
    tryWrite(join(group, swap), String(this.parent.version === 1 ? bytes : 0))
    return Math.abs(Number(read(join(group, limit))) - bytes) < MEMORY_ROUNDING_BYTES
  }

  #limitProcesses(group: string, count: number): boolean {
    tryWrite(join(group, this.#files.pids), String(count))
    return read(join(group, this.#files.pids)) === String(count)
  }

  #countOomKills(group: string): number {
    return countOomKills(join(group, this.#files.kills))
  }
}

const countOomKills = (file: string): number =>
  Number(/^oom_kill (\d+)$/m.exec(read(file))?.[1] ?? 0)

/** A group goes within a fifth of a second of its last process. */
const OOM_POLL_MS = 30

/** The `memory.events` files of the groups above a group of version 2, which count its kills too. */
function eventsAbove({ mount, own }: { mount: string; own: string }): string[] {
  const files: string[] = []
  for (let folder = dirname(own); folder.startsWith(`${mount}/`); folder = dirname(folder))
    files.push(join(folder, FILES[2].kills))
  return files
}

/** Counts what the kernel kills in a group that another program made, until the group is gone. */
export class OomWatch {
  readonly #file: string | null
  readonly #above: readonly { readonly file: string; readonly before: number }[]
  readonly #timer
  #kills = 0

  /** `pid` is a process of the group. */
  constructor(pid: number) {
    const { v1, v2 } = readHierarchies(pid)
    const memory = v1.get('memory')
    const unified = memory === undefined ? v2 : null
    this.#file =
      memory === undefined
        ? unified && join(unified.own, FILES[2].kills)
        : join(memory, FILES[1].kills)
    this.#above = (unified === null ? [] : eventsAbove(unified)).map((file) => ({
      file,
      before: countOomKills(file),
    }))
    this.#timer = setInterval(() => this.#read(), OOM_POLL_MS)
    this.#timer.unref()
  }

  #read(): void {
    if (this.#file === null || !existsSync(this.#file)) return this.stop()
    this.#kills = Math.max(this.#kills, countOomKills(this.#file))
  }

  get kills(): number {
    this.#read()
    return this.#kills
  }

  /** Whether something was killed in the nearest group above that is still there. */
  get hasKillAbove(): boolean {
    const nearest = this.#above.find(({ file }) => existsSync(file))
    return nearest !== undefined && countOomKills(nearest.file) > nearest.before
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
