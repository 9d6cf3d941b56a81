/**
 * After a large push or import: looks for objects that were made for a SHA-1 collision, which small
 * pushes are refused for at once. What is found stays, since nobody can tell what its twin would be
 * used for, but the operator and the owners are told of it.
 */
import { writeAs } from '#core/write.ts'
import { job } from '#core/jobs.ts'
import { MINUTE } from '#lib/time.ts'
import { fullNameOf } from './facts.ts'
import type { Range } from './leaks.ts'
import { auditRepo } from './lifecycle.ts'
import { repoById } from './store.ts'
import { listRefs } from './store-refs.ts'

/**
 * It takes the processor for a while: not in the moments after a push, when its sender and others
 * fetch.
 */
export const LOOK_AFTER_MS = 10 * MINUTE

/** Without `tips` it looks at all that the refs reach when it runs. */
export const lookForForged = job<{ repo_id: string } & ({ tips: null } | Range)>({
  kind: 'look_for_forged',
  run: async ({ hearth, signal }, { repo_id, ...range }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row) return
    const asked =
      range.tips === null
        ? { tips: [...new Set(listRefs(hearth.db, repo_id).map(({ oid }) => oid))], hide: [] }
        : range
    const objects = await hearth.git.findForged(row.store, asked, signal)
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
