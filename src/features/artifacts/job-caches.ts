/**
 * Caches as a job sees them. A run reads those of its own ref, of the branch that its pull request
 * goes to, and of the default branch. It writes those of its own ref alone, so that a branch never
 * changes what another one restores. Runs of changes by people without Write write none.
 */
import { localBlob, storeBlob } from '#core/blobs.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { jobScope, type JobScope } from '#features/workflows/index.ts'
import { forbidden, invalid } from '#lib/errors.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import { evictCachesOverQuota, requireActionsQuota } from './actions-quota.ts'
import { evictCaches, findCache, insertCache, setCacheUsed, type CacheRow } from './store-caches.ts'

/** Of one cache. All caches of a repository together have `jobs.cache_bytes`. */
export const MAX_CACHE_BYTES = 10 * 1024 ** 3
/** Caches that no job used for so long are deleted. */
export const UNUSED_CACHE_DAYS = 7
const MAX_KEY_CHARS = 512
const MAX_RESTORE_KEYS = 10
/** The time of use is written at most so often. */
const USE_RESOLUTION_MS = 5 * MINUTE

/** Throws 422 for a key that the dialect refuses. */
function requireKey(key: string): void {
  if (key === '') throw invalid('key', 'a cache needs a key')
  if (key.length > MAX_KEY_CHARS || key.includes(','))
    throw invalid('key', `the key of a cache has at most ${MAX_KEY_CHARS} characters and no comma`)
}

/** The refs whose caches a job may restore, the nearest first. */
function readableRefs(hearth: Hearth, { repo_id, ref, base_ref }: JobScope): string[] {
  const branches = [base_ref, repoById(hearth.db, repo_id)?.default_branch ?? null]
  const refs = branches.flatMap((name) => (name === null ? [] : [`refs/heads/${name}`]))
  return [...new Set([ref, ...refs])]
}

/**
 * Whether the job may write caches. Runs of `pull_request_target` and `workflow_run` have the
 * ref of the base, but may have run code of the head: what they wrote would reach every branch.
 */
export const mayWriteCaches = ({
  isTrusted,
  event_name,
}: Pick<JobScope, 'isTrusted' | 'event_name'>): boolean =>
  isTrusted && event_name !== 'pull_request_target' && event_name !== 'workflow_run'

/** Finds a cache by its key or the beginning of it, then by `restoreKeys` in their order. */
export async function findCacheForJob(
  hearth: Hearth,
  job_id: string,
  wanted: {
    readonly key: string
    readonly restoreKeys: readonly string[]
    readonly version: string
  },
): Promise<CacheRow | null> {
  const { key, restoreKeys, version } = wanted
  requireKey(key)
  if (restoreKeys.length > MAX_RESTORE_KEYS)
    throw invalid('restore_keys', `at most ${MAX_RESTORE_KEYS} restore keys are looked for`)
  const scope = jobScope(hearth.db, job_id)
  for (const ref of readableRefs(hearth, scope))
    for (const one of [key, ...restoreKeys]) {
      const found = findCache(hearth.db, { repo_id: scope.repo_id, ref, version, key: one })
      if (!found) continue
      const isStale = found.last_used_at < timestamp(hearth.clock.now() - USE_RESOLUTION_MS)
      if (isStale) await writeAs(hearth, null, (tx) => setCacheUsed(tx, found.id))
      return found
    }
  return null
}

/** The file of a cache; null when it is missing. */
export const cacheFile = (hearth: Hearth, row: CacheRow): Promise<string | null> =>
  localBlob(hearth, row.sha256)

/** The cache of the job's own ref with exactly this key; null when there is none. */
export function ownCache(
  { db }: Hearth,
  job_id: string,
  { key, version }: { readonly key: string; readonly version: string },
): CacheRow | null {
  requireKey(key)
  const { repo_id, ref } = jobScope(db, job_id)
  const found = findCache(db, { repo_id, ref, version, key })
  return found?.key === key ? found : null
}

export type NewCache = {
  readonly key: string
  readonly version: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly length?: number | null
  readonly signal?: AbortSignal
}

/** Throws 403 when the job may not write caches. */
export function requireCacheWriter(db: Db, job_id: string): JobScope {
  const scope = jobScope(db, job_id)
  if (!mayWriteCaches(scope))
    throw forbidden(
      'role',
      'this run reads caches only, because its code may be by somebody without Write',
    )
  return scope
}

/** Stores a cache of the job's ref. Null when the ref has one of this key: caches do not change. */
export async function saveCache(
  hearth: Hearth,
  job_id: string,
  { key, version, bytes, length = null, signal }: NewCache,
): Promise<CacheRow | null> {
  requireKey(key)
  const { repo_id, workspace_id, ref } = requireCacheWriter(hearth.db, job_id)
  const { cache_bytes } = hearth.settings.jobs
  requireActionsQuota(hearth, hearth.db, workspace_id, length ?? 0)
  const blob = await storeBlob(hearth, bytes, {
    maxBytes: Math.min(MAX_CACHE_BYTES, cache_bytes),
    length,
    ...(signal ? { signal } : {}),
  })
  return writeAs(hearth, null, (tx) => {
    requireCacheWriter(tx.db, job_id)
    const { sha256, size } = blob
    const id = typeId('cac', tx.now_ms)
    requireActionsQuota(hearth, tx.db, workspace_id, size)
    if (!insertCache(tx, { id, repo_id, ref, key, version, size_in_bytes: size, sha256 }))
      return null
    evictCaches(tx, repo_id, cache_bytes)
    evictCachesOverQuota(tx, workspace_id, 0)
    return findCache(tx.db, { repo_id, ref, version, key })
  })
}
