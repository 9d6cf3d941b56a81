/**
 * Control groups, where this process may make some: they hold all processes of a command together
 * to one memory and one number (Linux Documentation/admin-guide/cgroup-v2.rst and cgroup-v1). In
 * version 2 that takes a group whose controllers can be handed down: the root's own for root, or
 * the group above this process where a service manager has delegated it.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

export type Group = {
  /** Files to which a process writes its id to join. */
  readonly joins: readonly string[]
  /** How many processes the kernel has ended because the memory was used up. */
  kills(): number
  /** Takes the group away; false while something is still in it. */
  remove(): boolean
}

export type Groups = {
  readonly controls: readonly ('memory' | 'processes')[]
  make(name: string, limits: { memory: number; processes: number }): Group
  /** Takes away what ended processes have left. */
  sweep(): void
}

type Place = {
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

function writes(path: string, text: string): boolean {
  try {
    writeFileSync(path, text)
    return true
  } catch {
    return false
  }
}

const removed = (path: string): boolean => {
  try {
    rmdirSync(path)
    return true
  } catch {
    return !existsSync(path)
  }
}

/** The folder of this process in every hierarchy that is mounted (proc(5), cgroups(7)). */
function places(): { v1: Map<string, string>; v2: { mount: string; own: string } | null } {
  const own = read('/proc/self/cgroup')
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

/** The group of version 2 below which groups with limits can be made. */
function delegated({ mount, own }: { mount: string; own: string }): string | null {
  const candidates = process.getuid?.() === 0 ? [mount, dirname(own)] : [dirname(own)]
  for (const place of candidates) {
    if (!place.startsWith(mount)) continue
    const offered = read(join(place, 'cgroup.controllers')).split(' ')
    if (!offered.includes('memory') && !offered.includes('pids')) continue
    const wanted = ['memory', 'pids'].filter(
      (name) =>
        offered.includes(name) &&
        !read(join(place, 'cgroup.subtree_control')).split(' ').includes(name),
    )
    if (wanted.every((name) => writes(join(place, 'cgroup.subtree_control'), `+${name}`)))
      return place
  }
  return null
}

function find(): Place | null {
  const { v1, v2 } = places()
  if (v1.has('memory') || v1.has('pids'))
    return { version: 1, memory: v1.get('memory') ?? null, pids: v1.get('pids') ?? null }
  const place = v2 && delegated(v2)
  if (place === null) return null
  const offered = read(join(place, 'cgroup.subtree_control')).split(' ')
  return {
    version: 2,
    memory: offered.includes('memory') ? place : null,
    pids: offered.includes('pids') ? place : null,
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
 * Groups as this machine gives them; null when it gives none. They are tried: what is said to be
 * held has been set and read back.
 */
export function findGroups(): Groups | null {
  const place = find()
  if (!place) return null
  const files = FILES[place.version]
  const folders = (name: string): { memory: string | null; pids: string | null } => ({
    memory: place.memory === null ? null : join(place.memory, name),
    pids: place.pids === null ? null : join(place.pids, name),
  })

  function make(
    name: string,
    limits: { memory: number; processes: number },
  ): Group & { holds: ('memory' | 'processes')[] } {
    const { memory, pids } = folders(`${PREFIX}${name}`)
    const all = [...new Set([memory, pids])].filter((path) => path !== null)
    const usable = all.filter((path) => {
      try {
        mkdirSync(path, { recursive: true })
        return true
      } catch {
        return false
      }
    })
    const holds: ('memory' | 'processes')[] = []
    if (memory !== null && usable.includes(memory)) {
      writes(join(memory, files.memory[0]), String(limits.memory))
      // Swap would be memory too. In version 1 this counts both together.
      writes(join(memory, files.memory[1]), String(place?.version === 1 ? limits.memory : 0))
      if (Math.abs(Number(read(join(memory, files.memory[0]))) - limits.memory) < 65_536)
        holds.push('memory')
    }
    if (pids !== null && usable.includes(pids)) {
      writes(join(pids, files.pids), String(limits.processes))
      if (read(join(pids, files.pids)) === String(limits.processes)) holds.push('processes')
    }
    return {
      holds,
      joins: usable.map((path) => join(path, 'cgroup.procs')),
      kills: () =>
        memory === null
          ? 0
          : Number(/^oom_kill (\d+)$/m.exec(read(join(memory, files.kills)))?.[1] ?? 0),
      remove: () => usable.map(removed).every(Boolean),
    }
  }

  function sweep(): void {
    for (const folder of new Set([place?.memory, place?.pids])) {
      if (!folder) continue
      for (const name of readdirSync(folder)) {
        const pid = name.startsWith(PREFIX) ? Number(name.slice(PREFIX.length).split('-')[0]) : 0
        if (pid > 0 && !existsSync(`/proc/${pid}`)) removed(join(folder, name))
      }
    }
  }

  const trial = make(`${process.pid}-trial`, { memory: 64 * 1024 ** 2, processes: 16 })
  trial.remove()
  if (trial.holds.length === 0) return null
  return {
    controls: trial.holds,
    make: (name, limits) => make(`${process.pid}-${name}`, limits),
    sweep,
  }
}
