/** Removes backups that the retention policy does not keep, and the parts that none refers to. */
import { DAY } from '#lib/time.ts'
import { listBackups } from './read-backup.ts'
import { manifestPath, type Manifest } from './manifest.ts'
import type { BackupStore } from './backup-store.ts'

/**
 * How many backups to keep: the last ones, and the newest of each of the last days, weeks and months
 * that have one.
 */
export type RetentionPolicy = {
  readonly last: number
  readonly daily: number
  readonly weekly: number
  readonly monthly: number
}

const PERIODS: readonly [keyof Omit<RetentionPolicy, 'last'>, (at: Date) => string][] = [
  ['daily', (at) => at.toISOString().slice(0, 10)],
  // Weeks begin on Monday: 1 January 1970 was a Thursday.
  ['weekly', (at) => String(Math.floor((at.getTime() / DAY + 3) / 7))],
  ['monthly', (at) => at.toISOString().slice(0, 7)],
]

/** The ids to keep. The newest backup and named backups are always kept. */
export function selectRetained(
  manifests: readonly Pick<Manifest, 'id' | 'made_at' | 'name'>[],
  keep: RetentionPolicy,
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
 * Unreferenced parts younger than this are kept: they may belong to a backup that another forge is
 * writing to the same store.
 */
export const GRACE_MS = DAY

/** Whether a data directory wrote a backup, or an older version, which did not say who did. */
export const isOwn = ({ origin }: Pick<Manifest, 'origin'>, own: string): boolean =>
  origin === undefined || origin === own

/**
 * Prunes the backups of one data directory (`origin`) in a store. Those of others count for nothing
 * and stay. Damaged manifests are kept for an operator to inspect. While there is one, no part
 * is removed, because it may refer to any part.
 */
export async function pruneBackups(
  store: BackupStore,
  keep: RetentionPolicy,
  options: { origin: string; now_ms: number; grace_ms?: number },
): Promise<{ removed: string[]; others: number; parts: number; bytes: number }> {
  const all = await listBackups(store)
  const whole = all.flatMap(({ manifest }) => (manifest === null ? [] : [manifest]))
  const own = whole.filter((manifest) => isOwn(manifest, options.origin))
  const kept = selectRetained(own, keep)
  for (const { id } of whole.filter((manifest) => !own.includes(manifest))) kept.add(id)
  const removed = own.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
  for (const id of removed) await store.remove(manifestPath(id))
  await store.flush()
  let parts = 0
  let bytes = 0
  if (whole.length === all.length) {
    const named = new Set(
      whole.filter(({ id }) => kept.has(id)).flatMap((manifest) => Object.keys(manifest.parts)),
    )
    for await (const { name, size, modified_ms } of store.list('files/')) {
      if (
        named.has(name.slice(name.lastIndexOf('/') + 1)) ||
        options.now_ms - modified_ms < (options.grace_ms ?? GRACE_MS)
      )
        continue
      await store.remove(name)
      parts++
      bytes += size
    }
  }
  return { removed, others: whole.length - own.length, parts, bytes }
}
