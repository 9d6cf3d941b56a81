/**
 * Finds the commit that last changed each entry of a folder, cached in memory and on disk.
 *
 * The search walks history back until it has seen every entry change, which takes long at the root
 * of a large repository. Callers therefore wait with a timeout and get null when it expires; the
 * search continues and fills the cache for the next caller. A result for an earlier commit is
 * extended by walking only the commits in between.
 */
import type { CachedLastCommits, Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { withoutDeadline } from '#core/principal.ts'
import { cache, service } from '#core/service.ts'
import { withTimeout } from '#lib/waiting.ts'
import { commitSummarizer, type CommitSummary } from './commit-summary.ts'
import { InFlight } from './in-flight.ts'
import { historyCache } from '../store/history-cache.ts'

export type LastCommits = ReadonlyMap<string, CommitSummary>

/** The form on disk. Each commit is stored once; `index` is its position in `commits`. */
type StoredLastCommits = {
  readonly commits: readonly CommitSummary[]
  readonly names: readonly (readonly [name: string, index: number])[]
}

/** By store, commit and folder. */
const lastCommitsCache = cache<LastCommits>('last_commits', {
  maxSize: 64 * 1024 * 1024,
  sizeOf: (found) => found.size * 300 + 200,
})
const runningSearches = service('running last commits', () => new InFlight<LastCommits>())

function toStored(found: LastCommits): StoredLastCommits {
  const indexes = new Map<Oid, number>()
  const commits: CommitSummary[] = []
  const names = [...found].map(([name, summary]): [string, number] => {
    let index = indexes.get(summary.oid)
    if (index === undefined) indexes.set(summary.oid, (index = commits.push(summary) - 1))
    return [name, index]
  })
  return { commits, names }
}

const fromStored = ({ commits, names }: StoredLastCommits): LastCommits =>
  new Map(
    names.flatMap(([name, index]): [string, CommitSummary][] => {
      const summary = commits[index]
      return summary ? [[name, summary]] : []
    }),
  )

const toKnownLastCommits = (
  commit: Oid,
  { commits, names }: StoredLastCommits,
): CachedLastCommits => ({
  commit,
  entries: names.map(([name, index]) => ({ name, oid: commits[index]?.oid ?? '' })),
})

async function searchLastCommits(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
): Promise<LastCommits> {
  const stored = historyCache(hearth)
  const earlier = stored
    .listOthers('folder', store, path)
    .map(({ commit: other, value }) => toKnownLastCommits(other, value as StoredLastCommits))
  const summarize = commitSummarizer()
  const found = new Map(
    (await hearth.git.findLastCommits(store, commit, path, earlier)).map(
      ({ name, commit: last }) => [name, summarize(last)],
    ),
  )
  // Results for folders that do not exist are not stored, because callers may request any path.
  if (found.size > 0) stored.put('folder', store, path, commit, toStored(found))
  return found
}

/** Returns the result from memory or disk, if there is one. */
function findCached(hearth: Hearth, store: string, commit: Oid, path: string): LastCommits | null {
  const key = [store, commit, path].join(' ')
  const cached = lastCommitsCache(hearth).get(key)
  if (cached) return cached
  const stored = historyCache(hearth).find(
    'folder',
    store,
    path,
    commit,
  ) as StoredLastCommits | null
  if (stored === null) return null
  const found = fromStored(stored)
  lastCommitsCache(hearth).set(key, found)
  return found
}

/** Returns the last commits of a folder's entries by name. */
export function findLastCommits(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
): Promise<LastCommits> {
  const cached = findCached(hearth, store, commit, path)
  if (cached) return Promise.resolve(cached)
  const key = [store, commit, path].join(' ')
  return runningSearches(hearth).run(key, async () => {
    const found = await withoutDeadline(() => searchLastCommits(hearth, store, commit, path))
    lastCommitsCache(hearth).set(key, found)
    return found
  })
}

/** Like `findLastCommits`, but returns null after `timeoutMs`. */
export async function findLastCommitsWithin(
  hearth: Hearth,
  store: string,
  commit: Oid,
  path: string,
  timeoutMs: number,
): Promise<LastCommits | null> {
  return (
    findCached(hearth, store, commit, path) ??
    (await withTimeout(findLastCommits(hearth, store, commit, path), timeoutMs, () => null))
  )
}
