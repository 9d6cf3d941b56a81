/**
 * Which commit last changed each entry of a folder, kept in memory. Finding it means walking back until every entry has been seen to
 * change, which takes seconds at the top of a large repository, so nobody waits for it: who asks too early gets null, and the
 * answer for the next one is on its way.
 */
import type { Commit, Git, LastCommit, Oid } from '#git'
import { createCache } from '#lib/cache.ts'

type Found = ReadonlyMap<string, Commit>

const sizeOf = (found: Found): number => found.size * 400 + 200

/** By store, commit and folder. */
const kept = createCache<Found>({ maxSize: 64 * 1024 * 1024, sizeOf })
/** The commit that a folder was last looked at with: most of what holds there holds for the next one. */
const latest = createCache<Oid>({ maxSize: 20_000, sizeOf: () => 1 })
const underWay = new Map<string, Promise<Found>>()

/** From an answer for an earlier commit a later one is made when no more than so many lie between. */
const MOST_BETWEEN = 60
const MOST_CHANGED = 80

const byName = (entries: readonly LastCommit[]): Found => new Map(entries.map(({ name, commit }) => [name, commit]))

/** The answer from that for an earlier commit: only entries that a commit in between has touched are looked up. Null when that is no help. */
async function fromEarlier(git: Git, store: string, earlier: Oid, commit: Oid, path: string): Promise<Found | null> {
  const known = kept.get([store, earlier, path].join(' '))
  if (!known || !(await git.isReachable(store, earlier, [commit]))) return null
  const between = await git.log(store, { tips: [commit], hide: [earlier], limit: MOST_BETWEEN + 1 })
  if (between.length > MOST_BETWEEN) return null
  const prefix = path === '' ? '' : `${path}/`
  const touched = new Set<string>()
  for (const { oid, parents } of between) {
    const { files } = await git.diff(store, parents[0] ?? null, oid, { hunks: false, ...(path === '' ? {} : { paths: [path] }) })
    for (const file of files) for (const name of [file.path, file.old_path ?? file.path]) if (name.startsWith(prefix)) touched.add(name.slice(prefix.length).split('/', 1)[0] ?? '')
    if (touched.size > MOST_CHANGED) return null
  }
  const entries = await git.tree(store, commit, path)
  if (entries === null) return null
  const found = new Map<string, Commit>()
  for (const { name } of entries) {
    const before = touched.has(name) ? undefined : known.get(name)
    const last = before ?? (await git.log(store, { tips: [commit], path: `${prefix}${name}`, limit: 1 }))[0]
    if (last) found.set(name, last)
  }
  return found
}

async function find(git: Git, store: string, commit: Oid, path: string, key: string): Promise<Found> {
  const place = `${store} ${path}`
  const earlier = latest.get(place)
  const found = (earlier === undefined ? null : await fromEarlier(git, store, earlier, commit, path)) ?? byName(await git.lastCommits(store, commit, path))
  kept.set(key, found)
  latest.set(place, commit)
  return found
}

/** The last commits of a folder's entries by name; null when finding them takes longer than `patience` milliseconds. */
export async function lastCommitsOf(git: Git, store: string, commit: Oid, path: string, patience: number): Promise<Found | null> {
  const key = [store, commit, path].join(' ')
  const known = kept.get(key)
  if (known) return known
  let finding = underWay.get(key)
  if (!finding) {
    finding = find(git, store, commit, path, key).finally(() => underWay.delete(key))
    // Whoever waits hears of a failure; when nobody does any more, the next one asks again.
    finding.catch(() => {})
    underWay.set(key, finding)
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => void (timer = setTimeout(() => resolve(null), patience)))
  try {
    return await Promise.race([finding, late])
  } finally {
    clearTimeout(timer)
  }
}
