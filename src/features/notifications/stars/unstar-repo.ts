import { personOnly } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { findNewPath, repoByPath } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { canRead } from '../delivery/visibility.ts'
import { hasStar, removeStar } from './store-stars.ts'

export const unstarRepo = operation({
  name: 'unstar_repo',
  summary:
    'Take a repository from your stars; without effect when it is not there. For people, also when they cannot see it any more.',
  keywords: ['remove a star', 'unfavourite', 'unstar'],
  route: 'DELETE /user/starred/{owner}/{name}',
  toolset: 'issues',
  access: personOnly({ scope: 'user:write', writes: true }),
  annotations: { idempotent: true },
  input: Type.Object({ repo: RepoPath }),
  output: Nothing,
  status: 204,

  handler: ({ hearth, caller, write }, { repo }) =>
    write((tx) => {
      const row = repoByPath(tx.db, findNewPath(tx.db, repo) ?? repo)
      if (!row || (!hasStar(tx.db, row.id, caller.id) && !canRead(hearth, row.id, caller.id)))
        throw notFound(`the repository ${repo}`)
      removeStar(tx, row.id, caller.id)
      return null
    }),
})
