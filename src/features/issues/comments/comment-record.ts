/** Comments as records. */
import type { Hearth } from '#core/hearth.ts'
import { loadActors } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { noReactions } from '../reactions/no-reactions.ts'
import type { Comment, ReactionCounts, Suggestion } from '../schema.ts'
import { listCommentRows, listReactions, type CommentRow } from './store-comments.ts'
import { suggestedText } from './suggestion.ts'

function suggestion(row: CommentRow): Suggestion | null {
  if (row.line === null) return null
  const text = suggestedText(row.body)
  return text === null
    ? null
    : { text, start_line: row.start_line ?? row.line, line: row.line, applied_in: row.applied_in }
}

/** Records of comments of one repository. */
export function commentRecords(hearth: Hearth, rows: readonly CommentRow[]): Comment[] {
  const [first] = rows
  if (!first) return []
  const repo = fullName(hearth.db, first.repo_id)
  const actor = loadActors(
    hearth,
    rows.flatMap((row) => [row.author_id, row.resolved_by]),
  )
  const reactions = new Map<string, ReactionCounts>()
  for (const { comment_id, content, count } of listReactions(
    hearth.db,
    rows.map((row) => row.id),
  )) {
    const counts = reactions.get(comment_id) ?? noReactions()
    counts[content] = count
    reactions.set(comment_id, counts)
  }
  return rows.map((row) => ({
    id: row.id,
    number: row.number,
    body: row.body,
    author: actor(row.author_id),
    path: row.path,
    line: row.line,
    start_line: row.start_line,
    side: row.side,
    commit: row.commit_sha,
    outdated: row.outdated === 1,
    resolved: row.resolved === 1,
    resolved_by: row.resolved_by === null ? null : actor(row.resolved_by),
    in_reply_to: row.in_reply_to,
    review: row.review_id,
    suggestion: suggestion(row),
    reactions: reactions.get(row.id) ?? noReactions(),
    html_url: `${hearth.settings.site_url}/${repo}/${row.kind === 'pull' ? 'pull' : 'issues'}/${row.number}#${row.id}`,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }))
}

export function commentRecord(hearth: Hearth, row: CommentRow): Comment {
  const [record] = commentRecords(hearth, [row])
  if (!record) throw new TypeError('one row gives one record')
  return record
}

/** Comments on an issue or pull request, oldest first. */
export const commentsOf = (
  hearth: Hearth,
  repo_id: string,
  number: number,
  page: { limit: number; offset?: number; since?: string },
): Comment[] => commentRecords(hearth, listCommentRows(hearth.db, repo_id, number, page))
