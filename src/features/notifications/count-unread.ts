import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { filterVisibleRepos, visibleReposOf } from '#features/repos/index.ts'
import { countUnreadRows } from './store.ts'

/** Unread notifications are counted up to this number. */
export const MAX_UNREAD = 100

/**
 * The number of unread notifications of a person. Every page shows it, so the number of queries
 * does not grow with repositories.
 */
export function countUnread({ db }: Pick<Hearth, 'db'>, { id }: Pick<UserCaller, 'id'>): number {
  const rows = countUnreadRows(db, id, MAX_UNREAD)
  const repo_ids = rows.flatMap(({ repo_id }) => repo_id ?? [])
  const person = repo_ids.length === 0 ? null : userCaller(db, id)
  const seen = new Set(
    person === null || person.suspended
      ? []
      : filterVisibleRepos(db, visibleReposOf(db, person), repo_ids),
  )
  return rows.reduce(
    (sum, { repo_id, count }) => (repo_id === null || seen.has(repo_id) ? sum + count : sum),
    0,
  )
}
