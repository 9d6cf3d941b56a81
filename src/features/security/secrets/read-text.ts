/** Reads the texts of issues, pull requests, comments, reviews and sessions, with their addresses. */
import type { Db } from '#core/db.ts'
import { findComment, findIssue, findRecord } from '#features/issues/index.ts'
import { findPull, findReview, listEntryRows } from '#features/pulls/index.ts'
import type { Source } from './schema.ts'

/** Which text: of a description, of one comment or review, or entries of a session. */
export type TextName =
  | { readonly kind: 'description' }
  | { readonly kind: 'comment'; readonly id: string }
  | { readonly kind: 'session'; readonly from_seq: number; readonly last_seq: number }

export type StoredText = {
  readonly source: Source
  /** Its address below the repository. */
  readonly path: string
  readonly text: string
}

/** The title is a line of its own, so that the lines of the body count from 2. */
const describe = ({ title, body }: { title: string; body: string }): string => `${title}\n${body}`

function readDescription(db: Db, repo_id: string, number: number): StoredText[] {
  if (findRecord(db, repo_id, number)?.kind === 'pull') {
    const pull = findPull(db, repo_id, number)
    return pull ? [{ source: 'pull', path: `pull/${number}`, text: describe(pull) }] : []
  }
  const issue = findIssue(db, repo_id, number)
  return issue ? [{ source: 'issue', path: `issues/${number}`, text: describe(issue) }] : []
}

function readComment(db: Db, repo_id: string, number: number, id: string): StoredText[] {
  const pull = findPull(db, repo_id, number)
  const review = pull && findReview(db, pull.id, id)
  const inReview =
    pull && review
      ? [{ source: 'comment' as const, path: `pull/${number}#${id}`, text: review.body }]
      : []
  const comment = findComment(db, id)
  if (comment?.repo_id !== repo_id) return inReview
  const record = comment.kind === 'pull' ? 'pull' : 'issues'
  return [{ source: 'comment', path: `${record}/${number}#${id}`, text: comment.body }]
}

/** At most so many entries are read for one event. */
const MAX_ENTRIES = 2000

function readSession(
  db: Db,
  repo_id: string,
  number: number,
  { from_seq, last_seq }: Extract<TextName, { kind: 'session' }>,
): StoredText[] {
  const pull = findPull(db, repo_id, number)
  if (!pull) return []
  const limit = Math.min(MAX_ENTRIES, last_seq - from_seq + 1)
  return listEntryRows(db, pull.id, from_seq - 1, null, limit).map(({ seq, text, data }) => ({
    source: 'session',
    path: `pull/${number}/session#entry-${seq}`,
    text: data === null ? text : `${text}\n${data}`,
  }))
}

/** The present texts; none when they are gone. */
export function readTexts(
  db: Db,
  { repo_id, number, of }: { repo_id: string; number: number; of: TextName },
): readonly StoredText[] {
  if (of.kind === 'description') return readDescription(db, repo_id, number)
  if (of.kind === 'comment') return readComment(db, repo_id, number, of.id)
  return readSession(db, repo_id, number, of)
}
