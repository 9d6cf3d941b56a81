import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { refsOf } from './ref-cache.ts'
import { ObjectId } from '../schema-code.ts'

/** What the git server needs for a fetch: the object store and the visible refs. */
export const fetchRepo = operation({
  name: 'fetch_repo',
  summary: 'Fetch from a repository with git.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Type.Object({
    full_name: Type.String(),
    store: Type.String(),
    refs: Type.Object({
      generation: Type.String(),
      head: Type.String(),
      refs: Type.Readonly(
        Type.Array(Type.Object({ name: Type.String(), oid: ObjectId, peeled: Nullable(ObjectId) })),
      ),
    }),
  }),

  handler: ({ hearth, repo }) => {
    const { generation, head, refs } = refsOf(hearth, repo.id)
    return {
      full_name: repo.full_name,
      store: repo.store,
      refs: {
        generation,
        head,
        refs: refs as { name: string; oid: string; peeled: string | null }[],
      },
    }
  },
})
