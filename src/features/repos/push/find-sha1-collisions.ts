/**
 * Scans the objects of a large push or import for SHA-1 collision attacks. Small pushes are scanned
 * at once and refused. Objects found here stay, because their counterpart and its use are unknown;
 * the operator and the owners are notified.
 */
import { writeAs } from '#core/write.ts'
import { job } from '#core/jobs.ts'
import { MINUTE } from '#lib/time.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import type { CommitRange } from './find-secrets.ts'
import { auditRepo } from '../lifecycle/preconditions.ts'
import { repoById } from '../store/repos.ts'
import { listRefs } from '../store/refs.ts'

/** The scan uses much CPU, so it starts after the pusher and others have fetched. */
export const COLLISION_SCAN_DELAY_MS = 10 * MINUTE

/**
 * Without `tips` it scans everything that the refs reach when it runs. `store` is another store than
 * that of the repository.
 */
export const findSha1Collisions = job<
  { repo_id: string; store?: string } & ({ tips: null } | CommitRange)
>({
  kind: 'find_sha1_collisions',
  run: async ({ hearth, signal }, { repo_id, store, ...range }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const asked =
      range.tips === null
        ? { tips: [...new Set(listRefs(hearth.db, repo_id).map(({ oid }) => oid))], hide: [] }
        : range
    const objects = await hearth.git.findSha1Collisions(store ?? row.store, asked, signal)
    if (objects.length === 0) return
    hearth.log.error('objects that were made for a collision of SHA-1 are in a repository', {
      repo: fullNameOf(hearth.db, row),
      objects,
    })
    await writeAs(hearth, null, (tx) =>
      auditRepo(tx, 'repo.forged_objects_found', row, { objects: [...objects] }),
    )
  },
})
