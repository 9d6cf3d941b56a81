import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { headCommit, resolveCommit } from '../refs/resolve-commit.ts'
import { Ref } from '../schema.ts'
import { searchPaths } from './path-search.ts'

export const findFiles = operation({
  name: 'find_files',
  summary: 'The files of a commit whose paths contain some letters in this order, the best first.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    ref: Ref,
    query: Type.String({ maxLength: 200 }),
    most: Type.Integer({ minimum: 1, maximum: 200 }),
  }),
  output: Type.Object({
    paths: Type.Array(Type.String()),
    /** Whether every file was searched. */
    complete: Type.Boolean(),
  }),

  handler: async ({ hearth, repo }, { ref, query, most }) => {
    if (ref === 'HEAD' && headCommit(hearth, repo) === null) return { paths: [], complete: true }
    const commit = await resolveCommit(hearth, repo, ref)
    return searchPaths(hearth, { store: repo.store, commit }, query, most)
  },
})
