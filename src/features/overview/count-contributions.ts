/**
 * Counts a user's contributions per day, in the repositories that the reader can see. For most
 * users this takes two short queries. An actor with a million events (a bot, a mirror) would block
 * the event loop for half a second, so such a year is counted in parts of as many events with a
 * yield after each, and the result is cached.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { sha256 } from '#lib/hash.ts'
import { MINUTE, timestamp, type Timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { listVisibleRepos } from './visible-repos.ts'
import {
  countActivityByDay,
  firstActivity,
  hasMoreActivity,
  listActiveRepos,
  type ActivityFilter,
} from './store.ts'

/** The most events that are counted in one query. */
export const MAX_UNDIVIDED_EVENTS = 20_000
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

/** The repositories of an actor's events, and the times that divide them. */
type DividedActivity = {
  readonly repo_ids: readonly string[]
  /** From each time to the next there are at most `MAX_UNDIVIDED_EVENTS`, but for those of one moment. */
  readonly bounds: readonly Timestamp[]
}

async function divideActivity(db: Db, filter: ActivityFilter): Promise<DividedActivity> {
  const repo_ids = new Set<string>()
  const bounds = [filter.since]
  for (let { since } = filter; ; ) {
    const { repos, last, count } = firstActivity(db, { ...filter, since }, MAX_UNDIVIDED_EVENTS)
    for (const repo_id of repos) repo_ids.add(repo_id)
    if (last === null || count < MAX_UNDIVIDED_EVENTS) break
    // The events of the last moment belong to the next part. If all are of one moment, it is a part.
    const next = last > since ? last : timestamp(Date.parse(since) + 1)
    if (last === since)
      for (const repo_id of listActiveRepos(db, { ...filter, since, until: next }))
        repo_ids.add(repo_id)
    since = next
    bounds.push(since)
    await nextTurn()
  }
  return { repo_ids: [...repo_ids].sort(), bounds: [...bounds, filter.until] }
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
  const byDay = (rows: readonly { day: string; count: number }[]): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const { day, count } of rows) counts.set(day, (counts.get(day) ?? 0) + count)
    return counts
  }
  // The upper bound is exclusive. One millisecond more includes events of this moment.
  const until = timestamp(hearth.clock.now() + 1)
  const all: ActivityFilter = { actor_id, types, since: timestamp(since), until }
  if (!hasMoreActivity(db, all, MAX_UNDIVIDED_EVENTS))
    return byDay(countActivityByDay(db, all, listHiddenRepos(db, caller, listActiveRepos(db, all))))
  const key = `${actor_id} ${since}`
  // Both queries use the same period, so every counted event is in a repository that was checked.
  const { repo_ids, bounds } = await cached(hearth, key, () => divideActivity(db, all))
  const unseen = listHiddenRepos(db, caller, repo_ids)
  return await cached(hearth, `${key} ${bounds.at(-1)} ${sha256(unseen.join())}`, async () => {
    const rows: { day: string; count: number }[] = []
    for (const [at, until] of bounds.entries()) {
      if (at === 0) continue
      rows.push(
        ...countActivityByDay(db, { ...all, since: bounds[at - 1] ?? until, until }, unseen),
      )
      await nextTurn()
    }
    return byDay(rows)
  })
}
