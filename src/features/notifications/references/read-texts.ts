/** Texts of issues and pull requests that may mention people and records. */
import type { Db } from '#core/db.ts'
import type { EventRow } from '#core/events.ts'
import { findComment, findRecord, findIssue } from '#features/issues/index.ts'
import { findPull, findReview } from '#features/pulls/index.ts'
import { recordRule } from '../delivery/work.ts'

/** The id of the text of a description; comments and reviews have their own ids. */
export const DESCRIPTION = 'body'

/** The present text; null when it is gone. */
export function textOf(db: Db, repo_id: string, number: number, text_id: string): string | null {
  if (text_id === DESCRIPTION)
    return (
      (findRecord(db, repo_id, number)?.kind === 'pull'
        ? findPull(db, repo_id, number)?.body
        : findIssue(db, repo_id, number)?.body) ?? null
    )
  if (!text_id.startsWith('rvw_')) return findComment(db, text_id)?.body ?? null
  const pull = findPull(db, repo_id, number)
  return pull && (findReview(db, pull.id, text_id)?.body ?? null)
}

/** The id of the text that an event created or may have changed; null for none. */
export function textIdOf(event: EventRow): string | null {
  if (event.type === 'comment.created') {
    const id = event.data.comment ?? event.data.review
    return typeof id === 'string' ? id : null
  }
  return recordRule(event)?.describes === true ? DESCRIPTION : null
}
