/**
 * Counts a user's contributions per day, in the repositories that the reader can see. For most
 * users this takes two short queries. An actor with a million events (a bot, a mirror) would block
 * the event loop for half a second, so such a year is counted in chunks with a yield after each,
 * and the result is cached.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { listVisibleRepos } from './visible-repos.ts'
import {
  countActivityByDay,
  hasMoreActivity,
  listActiveRepos,
  type ActivityFilter,
} from './store.ts'

/** The most events that are counted in one query. */
export const MAX_UNDIVIDED_EVENTS = 20_000
const CHUNK_MS = 14 * DAY
const CACHE_TTL_MS = 10 * MINUTE
const MAX_CACHED_COUNTS = 1000
/** An estimate: 371 days with their counts, or the ids of some hundred repositories. */
const BYTES_PER_COUNT = 20_000

type CachedCount = { readonly at: number; readonly value: Promise<unknown> }

const countCache = cache<CachedCount>('contributions', {
  maxSize: MAX_CACHED_COUNTS * BYTES_PER_COUNT,
  sizeOf: () => BYTES_PER_COUNT,
})

/**
 * Returns a cached result, computed at most once per `CACHE_TTL_MS`. Concurrent callers share one
 * computation.
 */
function cached<T>(hearth: Hearth, key: string, compute: () => Promise<T>): Promise<T> {
  const entries = countCache(hearth)
  const now = hearth.clock.now()
  const before = entries.get(key)
  if (before && before.at <= now && now - before.at < CACHE_TTL_MS)
    return before.value as Promise<T>
  const value = compute()
  entries.set(key, { at: now, value })
  value.catch(() => entries.delete(key))
  return value
}

/** Runs a query for each chunk of a period, with a yield after each. */
async function queryInChunks<T>(
  filter: ActivityFilter,
  query: (chunk: ActivityFilter) => readonly T[],
): Promise<T[]> {
  const rows: T[] = []
  const end = Date.parse(filter.until)
  for (let at = Date.parse(filter.since); at < end; at += CHUNK_MS) {
    rows.push(
      ...query({ ...filter, since: timestamp(at), until: timestamp(Math.min(end, at + CHUNK_MS)) }),
    )
    await nextTurn()
  }
  return rows
}

const listHiddenRepos = (db: Db, caller: Caller, repo_ids: readonly string[]): string[] => {
  const visible = listVisibleRepos(db, caller, repo_ids)
  return repo_ids.filter((repo_id) => !visible.has(repo_id))
}

/** The number of contributions on each day since a time, by day. */
export async function countContributions(
  hearth: Hearth,
  caller: Caller,
  { actor_id, types, since }: { actor_id: string; types: readonly string[]; since: number },
): Promise<ReadonlyMap<string, number>> {
  const { db } = hearth
  const upTo = (until: number): ActivityFilter => ({
    actor_id,
    types,
    since: timestamp(since),
    until: timestamp(until),
  })
  const byDay = (rows: readonly { day: string; count: number }[]): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { day, count } of rows) counts.set(day, (counts.get(day) ?? 0) + count)
    return counts
  }
  // The upper bound is exclusive. One millisecond more includes events of this moment.
  const now = hearth.clock.now() + 1
  const all = upTo(now)
  if (!hasMoreActivity(db, all, MAX_UNDIVIDED_EVENTS))
    return byDay(countActivityByDay(db, all, listHiddenRepos(db, caller, listActiveRepos(db, all))))
  const key = `${actor_id} ${since}`
  // Both queries use the same `until`, so every counted event is in a repository that was checked.
  const { until, repo_ids } = await cached(hearth, key, async () => ({
    until: now,
    repo_ids: [...new Set(await queryInChunks(all, (chunk) => listActiveRepos(db, chunk)))].sort(),
  }))
  const unseen = listHiddenRepos(db, caller, repo_ids)
  return await cached(hearth, `${key} ${until} ${sha256(unseen.join())}`, async () =>
    byDay(await queryInChunks(upTo(until), (chunk) => countActivityByDay(db, chunk, unseen))),
  )
}
