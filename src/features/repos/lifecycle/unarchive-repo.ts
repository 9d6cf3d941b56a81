import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { repoUnarchived } from '../events.ts'
import { auditRepo, requireLive } from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setRepo } from '../store/repos.ts'

export const unarchiveRepo = operation({
  name: 'unarchive_repo',
  summary:
    'Open an archived repository for changes again (Admin). Answers the repository, also when it is not archived.',
  keywords: ['make writable again', 'unfreeze a repository'],
  route: 'POST /repos/{owner}/{name}/unarchive',
  toolset: 'code',
  access: writesRepo('admin', { scope: 'repo:admin', whileArchived: true }),
  input: Type.Object({ repo: RepoPath }),
  output: Repo,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, caller, write }) =>
    write((tx) => {
      const row = requireLive(tx.db, repo.id, { whileArchived: true })
      if (row.archived_at !== null) {
        setRepo(tx, row.id, { archived_at: null })
        tx.append(repoUnarchived, { workspace_id: row.workspace_id, repo_id: row.id }, {})
        auditRepo(tx, 'repo.unarchived', row)
      }
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    }),
})
