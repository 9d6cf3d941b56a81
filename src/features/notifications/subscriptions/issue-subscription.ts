/** The subscription of a person to an issue or pull request, as a record. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
import type { IssueSubscription } from '../schema.ts'
import { findLevel, findRecordSubscription } from './store-subscriptions.ts'

/** A person who watches the repository is subscribed unless they unsubscribed. */
export function issueSubscription(
  db: Db,
  repo: Pick<RepoGrant, 'id' | 'full_name'>,
  number: number,
  user_id: string,
): IssueSubscription {
  const row = findRecordSubscription(db, repo.id, number, user_id)
  const level = findLevel(db, repo.id, user_id)
  const watches = level?.level === 'all' ? level : null
  const subscribed = level?.level !== 'ignored' && (row ? row.subscribed === 1 : watches !== null)
  return {
    repo: repo.full_name,
    number,
    subscribed,
    reason: subscribed ? (row?.because ?? 'subscribed') : null,
    created_at: row?.created_at ?? (subscribed ? (watches?.created_at ?? null) : null),
  }
}
