import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, RepoPath, Sha, Type, type Static } from '#core/schema.ts'
import { contextsOfAnalyses } from '../code-scanning/commit-results.ts'
import { contextsOfReviews } from '../dependencies/review-pulls.ts'

const SecurityCheck = Type.Object({
  context: Type.String(),
  kind: OneOf(['code', 'dependency'] as const),
  state: OneOf(['success', 'failure'] as const),
})
export type SecurityCheck = Static<typeof SecurityCheck>

export const listSecurityChecks = operation({
  name: 'list_security_checks',
  summary:
    'The checks of a commit that findings make: what scanners say of it, and its dependencies. For its page.',
  route: null,
  toolset: 'security',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, sha: Sha }),
  output: Type.Array(SecurityCheck),

  handler: ({ db, repo }, { sha }) => {
    // A fork shares the checks of its repository.
    const home = repo.parent_id ?? repo.id
    const of = (kind: SecurityCheck['kind'], contexts: typeof contextsOfReviews) =>
      (contexts(db, home, [sha]).get(sha) ?? []).map(({ context, state }) => ({
        context,
        kind,
        state: state === 'success' ? ('success' as const) : ('failure' as const),
      }))
    return [...of('code', contextsOfAnalyses), ...of('dependency', contextsOfReviews)]
  },
})
