import { readsRepoAs } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { AdvisoryId } from '../reports/schema.ts'
import { forkName, refsOfFork, requireBase, requireFork } from './fork.ts'

/** What the git server needs for a fetch: the object store and the refs. */
export const fetchAdvisoryFork = operation({
  name: 'fetch_advisory_fork',
  summary: 'Fetch from the private fork of an advisory with git.',
  route: null,
  access: readsRepoAs('read', {
    scope: 'code:read',
    person: true,
    securityManager: true,
    advisoryWork: true,
  }),
  input: Type.Object({ repo: RepoPath, id: AdvisoryId }),
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

  handler: ({ db, repo }, { id }) => {
    const fork = requireFork(db, repo, id)
    requireBase(db, fork)
    const { generation, head, refs } = refsOfFork(db, fork)
    return {
      full_name: forkName(repo.full_name, id),
      store: fork.store,
      refs: { generation, head, refs: refs.map((ref) => ({ ...ref })) },
    }
  },
})
