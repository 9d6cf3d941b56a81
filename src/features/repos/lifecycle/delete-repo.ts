import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { repoDeleted } from '../events.ts'
import {
  auditRepo,
  Confirm,
  requireConfirm,
  requireLive,
  requireMayDelete,
} from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setRepo } from '../store/repos.ts'

/** How many days a deleted repository can be restored. */
const RESTORABLE_DAYS = 30

export const deleteRepo = operation({
  name: 'delete_repo',
  summary:
    'Delete a repository with everything in it. For owners of its workspace, and for members with admin where the workspace lets them; people only. Give its full name as confirm. Owners can restore it until purge_at, 30 days from now.',
  keywords: [
    'remove a repository',
    'drop a repository',
    'get rid of a repository',
    'destroy a repository',
  ],
  route: 'DELETE /repos/{owner}/{name}',
  toolset: 'code',
  access: writesRepoAsPerson('admin', { member: 'member', scope: 'repo:admin' }),
  input: Type.Object({ repo: RepoPath, confirm: Confirm }),
  output: Repo,
  annotations: { destructive: true },

  handler: ({ hearth, db, repo, caller, write }, { confirm }) => {
    requireMayDelete(db, repo)
    requireConfirm(repo.full_name, confirm)
    return write((tx) => {
      requireMayDelete(tx.db, repo)
      const row = requireLive(tx.db, repo.id)
      const purge_at = timestamp(tx.now_ms + RESTORABLE_DAYS * DAY)
      setRepo(tx, row.id, { deleted_at: tx.now, deleted_by: caller.id, purge_at })
      tx.append(
        repoDeleted,
        { workspace_id: row.workspace_id, repo_id: row.id },
        { full_name: repo.full_name, purge_at },
      )
      auditRepo(tx, 'repo.deleted', row, { after: { purge_at } })
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    })
  },
})
