import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { repoVisibilityChanged } from '../events.ts'
import {
  auditRepo,
  Confirm,
  requireConfirm,
  requireLive,
  requireMayChangeVisibility,
} from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setForks, setRepo } from '../store/repos.ts'

export const setRepoVisibility = operation({
  name: 'set_repo_visibility',
  summary:
    'Make a repository private or public (Admin; only owners where the workspace says so). Give its full name as confirm. Answers the repository.',
  keywords: [
    'make private',
    'make public',
    'open source a repository',
    'hide a repository',
    'visibility',
  ],
  route: 'POST /repos/{owner}/{name}/visibility',
  toolset: 'code',
  access: writesRepo('admin', { scope: 'repo:admin access:admin' }),
  input: Type.Object({
    repo: RepoPath,
    private: Type.Boolean({ description: 'True hides it from everyone without access.' }),
    confirm: Confirm,
  }),
  output: Repo,
  annotations: { destructive: true, idempotent: true },

  handler: ({ hearth, repo, caller, write }, { private: isPrivate, confirm }) => {
    requireConfirm(repo.full_name, confirm)
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      requireMayChangeVisibility(tx.db, repo)
      if ((row.private === 1) !== isPrivate) {
        setRepo(tx, row.id, { private: isPrivate })
        setForks(tx, row.id, { private: isPrivate })
        tx.append(
          repoVisibilityChanged,
          { workspace_id: row.workspace_id, repo_id: row.id },
          { private: isPrivate },
        )
        auditRepo(tx, 'repo.visibility_changed', row, {
          before: { private: !isPrivate },
          after: { private: isPrivate },
        })
      }
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    })
  },
})
