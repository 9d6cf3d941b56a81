import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { branchRef } from './ref-names.ts'
import { requireRepo } from '../store/repos.ts'
import { listRefsBelow } from '../store/refs.ts'

/** Lists only names, so pages can offer a branch switch without reading commits. */
export const listRefNames = operation({
  name: 'list_ref_names',
  summary:
    'The names of branches and tags, the default branch first, then the most recently moved; for the switch of a page.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    branches: Type.Integer({ minimum: 0, maximum: 1000 }),
    tags: Type.Integer({ minimum: 0, maximum: 1000 }),
  }),
  output: Type.Object({ branches: Type.Array(Type.String()), tags: Type.Array(Type.String()) }),

  handler: ({ db, repo }, { branches, tags }) => {
    const first = branchRef(requireRepo(db, repo.id).default_branch)
    const names = (directory: string, limit: number) =>
      listRefsBelow(db, repo.id, directory, { first, limit, offset: 0 }).map(({ name }) =>
        name.slice(directory.length + 1),
      )
    return { branches: names('refs/heads', branches), tags: names('refs/tags', tags) }
  },
})
