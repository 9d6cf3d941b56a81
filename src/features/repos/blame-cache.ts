/** Blame, kept in memory: it depends on nothing but the last commit that changed the file, so a push elsewhere costs no new one. */
import type { BlameRange, Git, Oid } from '#git'
import { createCache } from '#lib/cache.ts'

const kept = createCache<readonly BlameRange[]>({
  maxSize: 64 * 1024 * 1024,
  // Ranges share their commits' values.
  sizeOf: (ranges) => ranges.length * 100 + new Set(ranges.map(({ commit }) => commit)).size * 600,
})
const underWay = new Map<string, Promise<readonly BlameRange[]>>()

/** As `git.blame`, which says what errors there are. */
export async function blameOf(git: Git, store: string, commit: Oid, path: string, range?: { from: number; to: number }): Promise<readonly BlameRange[]> {
  const [last] = await git.log(store, { tips: [commit], path, limit: 1 })
  const from = last?.oid ?? commit
  const key = [store, from, range?.from ?? '', range?.to ?? '', path].join(' ')
  const known = kept.get(key)
  if (known) return known
  let finding = underWay.get(key)
  if (!finding) {
    finding = git.blame(store, from, path, range).finally(() => underWay.delete(key))
    underWay.set(key, finding)
  }
  const ranges = await finding
  kept.set(key, ranges)
  return ranges
}
