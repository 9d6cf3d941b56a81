/** The texts of issues and pull requests that name people and other records. */
import type { Db } from '#core/db.ts'
import type { EventRow } from '#core/events.ts'
import { findComment, findRecord, issueRow } from '#features/issues/index.ts'
import { findPull, findReview } from '#features/pulls/index.ts'
import { recordRule } from './work.ts'

/** The description of a record is the text `body`; comments and reviews go by their ids. */
export const DESCRIPTION = 'body'

/** What a text says now; null when it is gone. */
export function textOf(db: Db, repo_id: string, number: number, text_id: string): string | null {
  if (text_id === DESCRIPTION)
    return (
      (findRecord(db, repo_id, number)?.kind === 'pull'
        ? findPull(db, repo_id, number)?.body
        : issueRow(db, repo_id, number)?.body) ?? null
    )
  if (!text_id.startsWith('rvw_')) return findComment(db, text_id)?.body ?? null
  const pull = findPull(db, repo_id, number)
  return pull && (findReview(db, pull.id, text_id)?.body ?? null)
}

/** The text that came, or may have changed, with an event; null when it brought none. */
export function textIdOf(event: EventRow): string | null {
  if (event.type === 'comment.created') {
    const id = event.data['comment'] ?? event.data['review']
    return typeof id === 'string' ? id : null
  }
  return recordRule(event)?.describes === true ? DESCRIPTION : null
}
