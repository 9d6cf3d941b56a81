/**
 * What somebody did in a year, day by day, as far as a reader sees it. For most it is two short
 * questions. An account that caused a million events (a bot, a mirror) would hold everybody up for
 * half a second: its year is counted in pieces, with turns for others in between, and the count is
 * kept for a while.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { createCache, type Cache } from '#lib/cache.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { seenOf } from './sight.ts'
import { countByDay, hasMoreDeeds, placesOf, type Deeds } from './store.ts'

/** What is counted at once. */
export const MANY = 20_000
const PIECE = 14 * DAY
const KEPT_FOR = 10 * MINUTE
const MOST_KEPT = 1000

type Kept = { readonly at: number; readonly value: Promise<unknown> }
const memories = new WeakMap<Hearth['settings'], Cache<Kept>>()

/** The answer, made at most every few minutes; those who ask meanwhile wait for the same one. */
function remembered<T>(
  { settings, clock }: Hearth,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  let memory = memories.get(settings)
  if (!memory)
    memories.set(settings, (memory = createCache({ maxSize: MOST_KEPT, sizeOf: () => 1 })))
  const before = memory.get(key)
  if (before && before.at <= clock.now() && clock.now() - before.at < KEPT_FOR)
    return before.value as Promise<T>
  const value = make()
  memory.set(key, { at: clock.now(), value })
  value.catch(() => memory.delete(key))
  return value
}

/** Asks of each piece of a span, one at a time. */
async function inPieces<T>(deeds: Deeds, ask: (piece: Deeds) => readonly T[]): Promise<T[]> {
  const found: T[] = []
  const end = Date.parse(deeds.until)
  for (let at = Date.parse(deeds.since); at < end; at += PIECE) {
    found.push(
      ...ask({ ...deeds, since: timestamp(at), until: timestamp(Math.min(end, at + PIECE)) }),
    )
    await nextTurn()
  }
  return found
}

const unseenOf = (db: Db, caller: Caller, places: readonly string[]): string[] => {
  const seen = seenOf(db, caller, places)
  return places.filter((repo_id) => !seen.has(repo_id))
}

/** How many deeds of these types somebody did on each day since a moment, by the day. */
export async function countYear(
  hearth: Hearth,
  caller: Caller,
  { actor_id, types, since }: { actor_id: string; types: readonly string[]; since: number },
): Promise<ReadonlyMap<string, number>> {
  const { db } = hearth
  const upTo = (until: number): Deeds => ({
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
  // What happens in this very moment counts too.
  const now = hearth.clock.now() + 1
  const all = upTo(now)
  if (!hasMoreDeeds(db, all, MANY))
    return byDay(countByDay(db, all, unseenOf(db, caller, placesOf(db, all))))
  const key = `${actor_id} ${since}`
  // Both are of one span, so that nothing is counted in a repository that was not looked at.
  const { until, places } = await remembered(hearth, key, async () => ({
    until: now,
    places: [...new Set(await inPieces(all, (piece) => placesOf(db, piece)))].sort(),
  }))
  const unseen = unseenOf(db, caller, places)
  return await remembered(hearth, `${key} ${until} ${sha256(unseen.join())}`, async () =>
    byDay(await inPieces(upTo(until), (piece) => countByDay(db, piece, unseen))),
  )
}
