import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { DeletedId, requireDeletedRepo } from './deleted-repo.ts'
import { Confirm, requireConfirm } from './preconditions.ts'
import { markPurged } from './purge-job.ts'

export const purgeRepo = operation({
  name: 'purge_repo',
  summary:
    'Purge a deleted repository now instead of at its purge_at: everything in it is gone for good. For owners of its workspace, people only; give its full name as confirm.',
  keywords: [
    'delete for good',
    'permanently delete a repository',
    'erase forever',
    'empty the trash',
  ],
  route: 'POST /repos/{owner}/{name}/purge',
  toolset: 'code',
  access: writesRepoAsPerson('admin', {
    member: 'owner',
    scope: 'repo:admin',
    whileDeleted: true,
    whileArchived: true,
  }),
  input: Type.Object({ repo: RepoPath, confirm: Confirm, id: DeletedId }),
  output: Nothing,
  status: 204,
  annotations: { destructive: true },

  handler: ({ repo, write }, { confirm, id }) => {
    requireConfirm(repo.full_name, confirm)
    return write((tx) => {
      markPurged(tx, requireDeletedRepo(tx.db, repo, id, tx.now))
      return null
    })
  },
})
