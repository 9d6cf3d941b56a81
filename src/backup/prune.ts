/**
 * Which backups are kept, and taking away the others with the parts that no manifest names any
 * more.
 */
import { DAY } from '#lib/time.ts'
import { listBackups } from './read-backup.ts'
import { manifestName, type Manifest } from './manifest.ts'
import type { Place } from './place.ts'

/**
 * How many of each are kept: the newest, and the newest of each of the last days, weeks and months
 * that have one.
 */
export type Keep = {
  readonly last: number
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
}

const PERIODS: readonly [keyof Omit<Keep, 'last'>, (at: Date) => string][] = [
  ['daily', (at) => at.toISOString().slice(0, 10)],
  // Weeks since a Monday.
  ['weekly', (at) => String(Math.floor((at.getTime() / DAY + 3) / 7))],
  ['monthly', (at) => at.toISOString().slice(0, 7)],
]

/** The ids to keep. The newest is always among them, and those that a person gave a name. */
export function toKeep(
  manifests: readonly Pick<Manifest, 'id' | 'made_at' | 'name'>[],
  keep: Keep,
): Set<string> {
  const sorted = [...manifests].sort((a, b) => (a.made_at < b.made_at ? 1 : -1))
  const kept = new Set(sorted.slice(0, Math.max(1, keep.last)).map(({ id }) => id))
  for (const { id, name } of sorted) if (name !== null) kept.add(id)
  for (const [name, periodOf] of PERIODS) {
    const seen = new Set<string>()
    for (const { id, made_at } of sorted) {
      const period = periodOf(new Date(made_at))
      if (seen.has(period)) continue
      if (seen.size >= keep[name]) break
      seen.add(period)
      kept.add(id)
    }
  }
  return kept
}

/**
 * A part that no manifest names may belong to a backup that another forge is making in the same
 * place.
 */
export const GRACE_MS = DAY

/**
 * Takes away what is not kept. Damaged manifests stay, for a person to see, and then no part goes,
 * because they may name any.
 */
export async function prune(
  place: Place,
  keep: Keep,
  options: { now_ms: number; grace_ms?: number },
): Promise<{ removed: string[]; parts: number; bytes: number }> {
  const all = await listBackups(place)
  const whole = all.flatMap(({ manifest }) => (manifest === null ? [] : [manifest]))
  const kept = toKeep(whole, keep)
  const removed = whole.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  for (const id of removed) await place.remove(manifestName(id))
  await place.settle()
  let parts = 0
  let bytes = 0
  if (whole.length === all.length) {
    const named = new Set(
      whole.filter(({ id }) => kept.has(id)).flatMap((manifest) => Object.keys(manifest.parts)),
    )
    for await (const { name, size, modified_ms } of place.list('files/')) {
      if (
        named.has(name.slice(name.lastIndexOf('/') + 1)) ||
        options.now_ms - modified_ms < (options.grace_ms ?? GRACE_MS)
      )
        continue
      await place.remove(name)
      parts++
      bytes += size
    }
  }
  return { removed, parts, bytes }
}
