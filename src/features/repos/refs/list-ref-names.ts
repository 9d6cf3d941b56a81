import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { branchRef } from './ref-names.ts'
import { requireRepo } from '../store/repos.ts'
import { listRefsBelow, type RefRow } from '../store/refs.ts'
import { listTagsByVersion } from '../tags/tags-by-version.ts'

/** Lists only names, so pages can offer a branch switch without reading commits. */
export const listRefNames = operation({
  name: 'list_ref_names',
  summary:
    'The names of branches and tags, for the switch of a page: the default branch first, then the most recently moved; tags with the highest version first.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Text in the name.' })),
    branches: Type.Integer({ minimum: 0, maximum: 1000 }),
    tags: Type.Integer({ minimum: 0, maximum: 1000 }),
  }),
  output: Type.Object({ branches: Type.Array(Type.String()), tags: Type.Array(Type.String()) }),

  handler: ({ db, repo }, { q, branches, tags }) => {
    const first = branchRef(requireRepo(db, repo.id).default_branch)
    const text = q || undefined
    const names = (directory: string, refs: readonly RefRow[]) =>
      refs.map(({ name }) => name.slice(directory.length + 1))
    return {
      branches: names(
        'refs/heads',
        listRefsBelow(db, repo.id, 'refs/heads', { q: text, first, limit: branches, offset: 0 }),
      ),
      tags: names('refs/tags', listTagsByVersion(db, repo.id, { q: text, limit: tags, offset: 0 })),
    }
  },
})
