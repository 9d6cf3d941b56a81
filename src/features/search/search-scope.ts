/** What a caller's search can see: visible repositories, limited by the token's scopes. */
import type { Caller } from '#core/caller.ts'
import { missingScope } from '#core/scopes.ts'
import type { Db } from '#core/db.ts'
import { visibleReposOf } from '#features/repos/index.ts'
import type { SearchType } from './query.ts'
import type { SearchScope } from './find-request.ts'

/** In a private repository each type needs the scope that reading it needs. */
const REQUIRED_SCOPES: Readonly<Record<Exclude<SearchType, 'people'>, string>> = {
  repositories: 'repo:read',
  code: 'code:read',
  issues: 'issues:read',
  pulls: 'pulls:read',
  wiki: 'code:read',
}

export function searchScopeOf(db: Db, caller: Caller): SearchScope {
  const scopes = caller.kind === 'anonymous' ? null : (caller.token?.scopes ?? null)
  const inPrivate =
    caller.kind === 'anonymous'
      ? []
      : (Object.keys(REQUIRED_SCOPES) as (keyof typeof REQUIRED_SCOPES)[]).filter(
          (type) => missingScope(scopes, REQUIRED_SCOPES[type]) === null,
        )
  return {
    ...visibleReposOf(db, caller),
    onlyRepo: caller.kind === 'agent' ? caller.repo_id : null,
    typesInPrivate: inPrivate,
  }
}
