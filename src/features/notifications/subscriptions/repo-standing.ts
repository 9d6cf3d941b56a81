import type { UserCaller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Level } from '../schema.ts'
import { hasStar } from '../stars/store-stars.ts'
import { findLevel } from './store-subscriptions.ts'

/**
 * Whether a person watches and stars a repository, for its page header; called only when they can
 * see it.
 */
export const repoStandingOf = (
  { db }: Pick<Hearth, 'db'>,
  { id }: Pick<UserCaller, 'id'>,
  repo_id: string,
): { starred: boolean; level: Level } => ({
  starred: hasStar(db, repo_id, id),
  level: findLevel(db, repo_id, id)?.level ?? 'participating',
})
