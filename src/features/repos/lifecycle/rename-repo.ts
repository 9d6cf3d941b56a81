import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { repoNameProblem } from '#core/reserved-names.ts'
import { repoRenamed } from '../events.ts'
import { fullNameOf } from '../access/repo-facts.ts'
import { auditRepo, requireLive, claimName } from './preconditions.ts'
import { repoRecord } from '../profile/repo-record.ts'
import { Repo } from '../schema.ts'
import { requireRepo, setForks, setRepo } from '../store/repos.ts'
import { insertRedirect } from '../store/redirects.ts'

export const renameRepo = operation({
  name: 'rename_repo',
  summary:
    'Rename a repository (Admin). Addresses of pages, git remotes and REST paths with the old name lead to the new one until another repository takes the old name.',
  keywords: ['change the name of a repository', 'new repository name'],
  route: 'POST /repos/{owner}/{name}/rename',
  toolset: 'code',
  access: writesRepo('admin', { scope: 'repo:admin' }),
  input: Type.Object({
    repo: RepoPath,
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'The new name: letters, digits, dots, underscores and hyphens.',
    }),
  }),
  output: Repo,
  annotations: { idempotent: true },

  handler: ({ hearth, repo, caller, write }, { name }) => {
    const problem = repoNameProblem(name)
    if (problem) throw invalid('name', `name ${problem}`)
    return write((tx) => {
      const row = requireLive(tx.db, repo.id)
      if (row.name !== name) {
        const before = fullNameOf(tx.db, row)
        claimName(tx, row.id, { id: row.workspace_id, slug: repo.workspace }, name)
        setRepo(tx, row.id, { name })
        setForks(tx, row.id, { name })
        // Names are compared case-insensitively, so a change of case leaves no redirect.
        if (row.name.toLowerCase() !== name.toLowerCase()) insertRedirect(tx, row, row.id)
        tx.append(
          repoRenamed,
          { workspace_id: row.workspace_id, repo_id: row.id },
          { previous_name: row.name, name },
        )
        const renamed = requireRepo(tx.db, row.id)
        auditRepo(tx, 'repo.renamed', renamed, { before, after: fullNameOf(tx.db, renamed) })
      }
      return repoRecord(hearth, requireRepo(tx.db, row.id), caller)
    })
  },
})
