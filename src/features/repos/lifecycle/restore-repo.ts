import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict } from '#lib/errors.ts'
import { DeletedId, requireDeletedRepo } from './deleted-repo.ts'
import { repoRestored } from '../events.ts'
import { auditRepo, claimName } from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setRepo } from '../store/repos.ts'

export const restoreRepo = operation({
  name: 'restore_repo',
  summary:
    'Restore a deleted repository at the path that it had, until it is purged. For owners of its workspace, people only. Not while another repository has the path.',
  keywords: ['undelete a repository', 'bring back a deleted repository', 'recover a repository'],
  route: 'POST /repos/{owner}/{name}/restore',
  toolset: 'code',
  access: writesRepoAsPerson('admin', {
    member: 'owner',
    scope: 'repo:admin',
    whileDeleted: true,
    whileArchived: true,
  }),
  input: Type.Object({ repo: RepoPath, id: DeletedId }),
  output: Repo,

  handler: ({ hearth, repo, caller, write }, { id }) =>
    write((tx) => {
      // The live repository at this path occupies the name.
      if (id === undefined && !repo.deleted)
        throw conflict(
          'already_exists',
          `${repo.full_name} exists: rename it first if a deleted one is to come back`,
        )
      const row = requireDeletedRepo(tx.db, repo, id, tx.now)
      claimName(tx, row.id, { id: row.workspace_id, slug: repo.workspace }, row.name)
      requireQuota(hearth, tx.db, row.workspace_id, 'repositories', 1)
      setRepo(tx, row.id, { deleted_at: null, deleted_by: null, purge_at: null })
      tx.append(repoRestored, { workspace_id: row.workspace_id, repo_id: row.id }, {})
      auditRepo(tx, 'repo.restored', row)
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    }),
})
