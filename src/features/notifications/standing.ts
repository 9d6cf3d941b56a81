import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Level } from './schema.ts'
import { hasStar } from './store-stars.ts'
import { findLevel } from './store-subscriptions.ts'

/** How a person keeps a repository, for the head of its pages; asked only for one that they see. */
export const standingOf = (
  { db }: Pick<Hearth, 'db'>,
  { id }: Pick<UserCaller, 'id'>,
  repo_id: string,
): { starred: boolean; level: Level } => ({
  starred: hasStar(db, repo_id, id),
  level: findLevel(db, repo_id, id)?.level ?? 'participating',
})
