/** What a caller's search may see: its rights as lists have them, and what its token may read. */
import type { Caller } from '#core/caller.ts'
import { missingScope } from '#core/scopes.ts'
import type { Db } from '#core/db.ts'
import { sightOf } from '#features/repos/index.ts'
import type { SearchType } from './query.ts'
import type { Scope } from './request.ts'

/** In private repositories each type needs what reading it there needs. */
const NEEDED: Readonly<Record<Exclude<SearchType, 'people'>, string>> = {
  repositories: 'repo:read',
  code: 'code:read',
  issues: 'issues:read',
  pulls: 'pulls:read',
}

export function scopeOf(db: Db, caller: Caller): Scope {
  const scopes = caller.kind === 'anonymous' ? null : (caller.token?.scopes ?? null)
  const inPrivate =
    caller.kind === 'anonymous'
      ? []
      : (Object.keys(NEEDED) as (keyof typeof NEEDED)[]).filter(
          (type) => missingScope(scopes, NEEDED[type]) === null,
        )
  return {
    ...sightOf(db, caller),
    bound: caller.kind === 'agent' ? caller.repo_id : null,
    inPrivate,
  }
}
