import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { listSeen, sightOf } from '#features/repos/index.ts'
import { countUnreadRows } from './store.ts'

/** More are not counted. */
export const MOST_UNREAD = 100

/**
 * How many notifications a person has not read, for the head of every page: few questions, in
 * however many repositories they are.
 */
export function countUnread({ db }: Pick<Hearth, 'db'>, { id }: Pick<UserCaller, 'id'>): number {
  const rows = countUnreadRows(db, id, MOST_UNREAD)
  const repo_ids = rows.flatMap(({ repo_id }) => repo_id ?? [])
  const person = repo_ids.length === 0 ? null : userCaller(db, id)
  const seen = new Set(
    person === null || person.suspended ? [] : listSeen(db, sightOf(db, person), repo_ids),
  )
  return rows.reduce(
    (sum, { repo_id, count }) => (repo_id === null || seen.has(repo_id) ? sum + count : sum),
    0,
  )
}
