import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { refsOfWiki, requireWiki } from './wiki.ts'

/** What the git server needs for a fetch: the object store and the one branch. */
export const fetchWiki = operation({
  name: 'fetch_wiki',
  summary: 'Fetch from the wiki of a repository with git.',
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
        Type.Array(
          Type.Object({ name: Type.String(), oid: Type.String(), peeled: Nullable(Type.String()) }),
        ),
      ),
    }),
  }),

  handler: ({ db, repo }) => {
    const wiki = requireWiki(db, repo)
    const { generation, head, refs } = refsOfWiki(repo.id, wiki)
    return {
      full_name: repo.full_name,
      store: wiki.store,
      refs: { generation, head, refs: refs.map((ref) => ({ ...ref })) },
    }
  },
})
