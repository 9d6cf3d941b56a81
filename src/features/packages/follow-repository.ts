/** What happens to packages when the repository that they are linked to changes. */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { repoPurged, repoTransferred, repoVisibilityChanged } from '#features/repos/index.ts'
import { auditPackage } from './lifecycle.ts'
import { listPackagesOfRepo, setPackage } from './store.ts'

/** Visibility follows the repository in the same transaction. */
const visibilityFollows = reaction(
  'packages follow the visibility of their repository',
  repoVisibilityChanged,
  (tx, { repo_id, data }) => {
    for (const row of listPackagesOfRepo(tx.db, repo_id ?? '')) {
      setPackage(tx, row.id, { private: data.private ? 1 : 0 })
      auditPackage(tx, 'package.changed', row, {
        before: { private: row.private },
        after: { private: data.private ? 1 : 0 },
      })
    }
  },
)

/** A repository that leaves the workspace leaves its packages behind, as visible as they were. */
function unlinkAll(tx: Tx, repo_id: string | null): void {
  for (const row of listPackagesOfRepo(tx.db, repo_id ?? '')) {
    setPackage(tx, row.id, { repo_id: null })
    auditPackage(tx, 'package.unlinked', row, { before: { repository: repo_id } })
  }
}

const transferUnlinks = reaction(
  'packages stay when their repository is transferred',
  repoTransferred,
  (tx, { repo_id }) => unlinkAll(tx, repo_id),
)

const purgeUnlinks = reaction(
  'packages stay when their repository is purged',
  repoPurged,
  (tx, { repo_id }) => unlinkAll(tx, repo_id),
)

export const followRepository = [visibilityFollows, transferUnlinks, purgeUnlinks]
