import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { repoArchived } from '../events.ts'
import { auditRepo, requireLive } from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setRepo } from '../store/repos.ts'

export const archiveRepo = operation({
  name: 'archive_repo',
  summary:
    'Archive a repository (Admin): everything in it can be read and cloned, and nothing changes until it is unarchived. Answers the repository, also when it is archived already.',
  keywords: ['make read-only', 'freeze a repository', 'mothball', 'deprecate a repository'],
  route: 'POST /repos/{owner}/{name}/archive',
  toolset: 'code',
  listed: 'default',
  access: writesRepo('admin', { scope: 'repo:admin', whileArchived: true }),
  input: Type.Object({ repo: RepoPath }),
  output: Repo,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, caller, write }) =>
    write((tx) => {
      const row = requireLive(tx.db, repo.id, { whileArchived: true })
      if (row.archived_at === null) {
        setRepo(tx, row.id, { archived_at: tx.now })
        tx.append(repoArchived, { workspace_id: row.workspace_id, repo_id: row.id }, {})
        auditRepo(tx, 'repo.archived', row)
      }
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    }),
})
