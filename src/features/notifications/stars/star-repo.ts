import { writesRepoAsPerson } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { invalid } from '#lib/errors.ts'
import { insertStar } from './store-stars.ts'

export const starRepo = operation({
  name: 'star_repo',
  summary:
    'Put a repository among your stars; without effect when it is there. For people who can see it.',
  keywords: ['favourite', 'bookmark', 'star'],
  route: 'PUT /user/starred/{owner}/{name}',
  toolset: 'issues',
  access: writesRepoAsPerson('read', { scope: 'user:write', whileArchived: true }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath }),
  output: Nothing,
  status: 204,

  handler: ({ repo, caller, write }) => {
    if (repo.parent_id !== null)
      throw invalid(
        'repo',
        `${repo.full_name} is the fork of a pull request; star the repository itself`,
      )
    return write((tx) => {
      insertStar(tx, repo.id, caller.id)
      return null
    })
  },
})
