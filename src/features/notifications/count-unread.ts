import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { canRead } from './sight.ts'
import { countUnreadRows } from './store.ts'

/** More are not counted. */
export const MOST_UNREAD = 100

/**
 * How many notifications a person has not read, for the head of every page: one question of one index, and one more for each
 * repository that has some.
 */
export const countUnread = (hearth: Hearth, { id }: Pick<UserCaller, 'id'>): number =>
  countUnreadRows(hearth.db, id, MOST_UNREAD).reduce((sum, { repo_id, count }) => (repo_id === null || canRead(hearth, repo_id, id) ? sum + count : sum), 0)
