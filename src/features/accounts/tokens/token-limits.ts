/** Validates the limits of a new token. A token that creates another passes its own limits on. */
import type { RepoFacts } from '#core/access.ts'
import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { missingScope, PERSONAL_AREAS, SCOPES } from '#core/scopes.ts'
import { Type } from '#core/schema.ts'
import { forbidden, invalid, notFound } from '#lib/errors.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'
import type { TokenRepo } from '../store/tokens.ts'

export const TokenName = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'What the token is for.',
})
export const Scopes = Type.Array(Type.String({ maxLength: 50 }), {
  minItems: 1,
  maxItems: SCOPES.length,
  description: 'What it may do, such as code:read.',
})
export const TokenRepos = Type.Array(Type.String({ maxLength: 200 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Full names of the only repositories that it reaches.',
})

/** Throws 422 for an unknown scope and 403 `scope` for one that the calling token lacks. */
export function requireScopes(caller: UserCaller, scopes: readonly string[]): void {
  scopes.forEach((scope, index) => {
    if (!SCOPES.includes(scope)) throw invalid(`scopes[${index}]`, `there is no scope ${scope}`)
    if (missingScope(caller.token?.scopes ?? null, scope) !== null) {
      throw forbidden(
        'scope',
        `this token lacks the scope ${scope}, so it cannot give it to another`,
        { scope },
      )
    }
  })
}

/**
 * The same for a token of a workspace or agent. Also throws 422 for scopes that only users may
 * have.
 */
export function requireImpersonalScopes(caller: UserCaller, scopes: readonly string[]): void {
  requireScopes(caller, scopes)
  scopes.forEach((scope, index) => {
    if (PERSONAL_AREAS.has(scope.split(':')[0] ?? ''))
      throw invalid(`scopes[${index}]`, `only a person's own token can have the scope ${scope}`)
  })
}

/**
 * The repositories of these names. Throws 422 for one that the caller cannot see or that the
 * calling token does not reach.
 */
export function requireRepos(
  hearth: Hearth,
  caller: UserCaller,
  names: readonly string[],
): TokenRepo[] {
  return names.map((name, index) => {
    const facts = hearth.facts.repo(name, caller)
    const isVisible =
      facts !== null &&
      !facts.deleted &&
      facts.parent_id === null &&
      (facts.role !== null || !facts.private)
    if (!isVisible || !isWithinLimits(caller, facts))
      throw invalid(
        `repos[${index}]`,
        `the repository ${name} does not exist, or you cannot see it`,
      )
    return { id: facts.id, workspace_id: facts.workspace_id, name: facts.name }
  })
}

/** A limited token cannot name a public repository that it does not reach either. */
const isWithinLimits = ({ token }: UserCaller, repo: RepoFacts): boolean =>
  token === null ||
  ((token.repos === null || token.repos.includes(repo.id)) &&
    (token.workspace === null || token.workspace === repo.workspace_id))

/** The id of a workspace that the caller belongs to. Throws 404 for any other. */
export function requireOwnWorkspace(hearth: Hearth, caller: UserCaller, slug: string): string {
  const facts = hearth.facts.workspace(slug, caller)
  if (facts === null || facts.role === null) throw notFound(`the workspace ${slug}`)
  return facts.id
}

/** The expiry of a new token: never later than that of the calling token. */
export function tokenExpiry(caller: UserCaller, now_ms: number, lifetime_ms: number): Timestamp {
  const end = timestamp(now_ms + lifetime_ms)
  const own = caller.token?.expires_at ?? null
  return own !== null && own < end ? own : end
}
