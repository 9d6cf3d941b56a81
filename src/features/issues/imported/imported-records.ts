/**
 * Issues, labels, milestones and comments that come from another forge. They keep their numbers,
 * people and dates. No event is appended, so nobody is notified and no webhook is sent.
 */
import type { Tx } from '#core/write.ts'
import { typeIdAt } from '#core/ids.ts'
import {
  removeLabel,
  insertLabel,
  isLabelUsed,
  findLabel,
  addRecordLabel,
  labelIdsOf,
  listLabelRows,
  countLabels,
} from '../labels/store-labels.ts'
import { colorOf } from '../labels/colors.ts'
import { MAX_LABELS } from '../labels/set-labels.ts'
import {
  findMilestoneByTitle,
  insertMilestone,
  setMilestone,
} from '../milestones/store-milestones.ts'
import { replaceAssignees } from '../assignees/store-assignees.ts'
import { MAX_ASSIGNEES, MAX_LOCK_REASON_LENGTH, MAX_TITLE_LENGTH } from '../inputs.ts'
import type { CloseReason, ReactionContent } from '../schema.ts'
import { insertRecordReaction } from '../reactions/store-record-reactions.ts'
import {
  findIssue,
  insertIssue,
  isBlockedBy,
  setBlockers,
  setIssueClosed,
} from '../store-issues.ts'
import {
  insertComment,
  insertReaction,
  setCommentOutdated,
  setThreadResolved,
  touchComment,
} from '../comments/store-comments.ts'
import { findRecord, setRecordLock, setRecordMilestone, touchRecord } from '../store-records.ts'
import { timestamp } from '#lib/time.ts'
import { asOf } from './as-of.ts'
import { importedLine, importedText } from './imported-text.ts'

const MAX_LABEL_LENGTH = 50
const MAX_CHECKS = 20
const MAX_CHECK_LENGTH = 1000
const MAX_BLOCKERS = 100
const MAX_LABEL_DESCRIPTION_LENGTH = 200

type ImportedLabel = {
  readonly name: string
  readonly color: string
  readonly description: string | null
  /** Now where it is not known. */
  readonly created_ms?: number
}

/** Removes labels that nothing uses, such as those that a new repository begins with. */
export function removeUnusedLabels(tx: Tx, repo_id: string): void {
  for (const { id } of listLabelRows(tx.db, repo_id, MAX_LABELS, 0))
    if (!isLabelUsed(tx.db, id)) removeLabel(tx, id)
}

const labelNameOf = (name: string): string =>
  importedLine(name.replaceAll(',', ' '), MAX_LABEL_LENGTH)

/** Adds a label, or returns the one of that name. Null when the repository has too many. */
export function importLabel(tx: Tx, repo_id: string, label: ImportedLabel): string | null {
  const name = labelNameOf(label.name)
  const there = findLabel(tx.db, repo_id, name)
  if (there) return there.id
  if (countLabels(tx.db, repo_id) >= MAX_LABELS) return null
  const color = label.color.replace(/^#/, '').toLowerCase()
  const about = label.description?.trim() ?? ''
  return insertLabel(label.created_ms === undefined ? tx : asOf(tx, label.created_ms), {
    repo_id,
    name,
    color: /^[0-9a-f]{6}$/.test(color) ? color : colorOf(name),
    description: about === '' ? null : importedLine(about, MAX_LABEL_DESCRIPTION_LENGTH),
  })
}

type ImportedMilestone = {
  readonly title: string
  readonly description: string | null
  readonly due_on: string | null
  readonly created_ms: number
  /** Milestones of one second are in this order. */
  readonly order: number
  /** Null while it is open. */
  readonly closed_ms: number | null
}

/** Adds a milestone, or returns the one of that title. */
export function importMilestone(tx: Tx, repo_id: string, milestone: ImportedMilestone): string {
  const title = importedLine(milestone.title, MAX_TITLE_LENGTH)
  const there = findMilestoneByTitle(tx.db, repo_id, title)
  if (there) return there.id
  const then = asOf(tx, milestone.created_ms)
  const due_ms = Date.parse(milestone.due_on ?? '')
  const row = {
    id: typeIdAt('mls', then.now_ms, milestone.order),
    repo_id,
    title,
    description: milestone.description === null ? null : importedText(milestone.description),
    due_on: Number.isFinite(due_ms) ? timestamp(due_ms) : null,
  }
  insertMilestone(then, row)
  if (milestone.closed_ms !== null)
    setMilestone(tx, { ...row, state: 'closed', closed_at: asOf(tx, milestone.closed_ms).now })
  return row.id
}

/** What issues and pull requests have in common. People are actors of this forge. */
export type ImportedRecord = {
  readonly repo_id: string
  readonly number: number
  readonly title: string
  readonly body: string
  readonly author_id: string
  readonly labels: readonly ImportedLabel[]
  readonly milestone_id: string | null
  readonly assignee_ids: readonly string[]
  readonly locked: boolean
  readonly lock_reason: string | null
  readonly created_ms: number
  readonly updated_ms: number
}

type ImportedIssue = ImportedRecord & {
  readonly checks: readonly string[]
  readonly closed: {
    readonly reason: CloseReason
    readonly by: string | null
    readonly at_ms: number
  } | null
}

export const importedTitle = (title: string): string => importedLine(title, MAX_TITLE_LENGTH)

const lockReasonOf = ({ lock_reason }: ImportedRecord): string | null =>
  lock_reason?.trim() ? importedLine(lock_reason, MAX_LOCK_REASON_LENGTH) : null

/** Sets what records of both kinds have, after the row of the record was inserted. */
export function setImportedFacts(tx: Tx, record: ImportedRecord): void {
  const { repo_id, number } = record
  const present = new Set(labelIdsOf(tx.db, repo_id, number))
  for (const label of record.labels) {
    const id = importLabel(tx, repo_id, label)
    if (id === null || present.has(id)) continue
    present.add(id)
    addRecordLabel(tx, repo_id, number, id)
  }
  if (record.milestone_id !== null) setRecordMilestone(tx, repo_id, number, record.milestone_id)
  const assigned = [...new Set(record.assignee_ids)].slice(0, MAX_ASSIGNEES)
  if (assigned.length > 0) replaceAssignees(tx, repo_id, number, assigned)
  if (record.locked) setRecordLock(tx, repo_id, number, true, lockReasonOf(record))
  touchRecord(asOf(tx, record.updated_ms), repo_id, number)
}

/** Adds an issue under its own number and returns its id; null when the number is taken already. */
export function importIssue(tx: Tx, issue: ImportedIssue): string | null {
  const { repo_id, number } = issue
  if (findRecord(tx.db, repo_id, number)) return null
  const then = asOf(tx, issue.created_ms)
  const id = typeIdAt('iss', then.now_ms, number)
  insertIssue(then, {
    id,
    repo_id,
    number,
    title: importedTitle(issue.title),
    body: importedText(issue.body),
    checks: issue.checks
      .slice(0, MAX_CHECKS)
      .map((command) => importedLine(command, MAX_CHECK_LENGTH)),
    author_id: issue.author_id,
  })
  if (issue.closed !== null)
    setIssueClosed(asOf(tx, issue.closed.at_ms), repo_id, number, {
      reason: issue.closed.reason,
      resolved_by: null,
      closed_by: issue.closed.by,
    })
  setImportedFacts(tx, issue)
  return id
}

type ImportedReaction = { readonly content: ReactionContent; readonly actor_id: string }

type ImportedComment = {
  readonly repo_id: string
  readonly number: number
  readonly author_id: string
  readonly body: string
  readonly created_ms: number
  /** Comments of one second are in this order. */
  readonly order: number
  readonly updated_ms: number
  readonly line: {
    readonly path: string
    readonly line: number
    readonly start_line: number | null
    readonly side: 'new' | 'old'
    readonly commit_sha: string
    readonly outdated: boolean
  } | null
  readonly in_reply_to: string | null
  readonly review_id: string | null
  readonly resolved_by: string | null
}

/** Adds a comment and returns its id. The time of the last change of its record stays. */
export function importComment(tx: Tx, comment: ImportedComment): string {
  const { repo_id, number, line } = comment
  const record = findRecord(tx.db, repo_id, number)
  if (!record) throw new TypeError(`there is no record ${number} for a comment`)
  const then = asOf(tx, comment.created_ms)
  const body = importedText(comment.body)
  const id = insertComment(then, {
    id: typeIdAt('cmt', then.now_ms, comment.order),
    repo_id,
    number,
    author_id: comment.author_id,
    body: body.trim() === '' ? '…' : body,
    path: line?.path ?? null,
    line: line?.line ?? null,
    start_line: line?.start_line ?? null,
    side: line?.side ?? null,
    commit_sha: line?.commit_sha ?? null,
    in_reply_to: comment.in_reply_to,
    review_id: comment.review_id,
  })
  if (line?.outdated) setCommentOutdated(tx, id, true)
  if (comment.resolved_by !== null && comment.in_reply_to === null)
    setThreadResolved(asOf(tx, comment.updated_ms), id, true, comment.resolved_by)
  else if (comment.updated_ms > comment.created_ms) touchComment(asOf(tx, comment.updated_ms), id)
  touchRecord(asOf(tx, Date.parse(record.updated_at)), repo_id, number)
  return id
}

/** Says which issues must close before one; those that are not here, and circles, are left out. */
export function importBlockers(
  tx: Tx,
  repo_id: string,
  number: number,
  blocked_by: readonly number[],
): void {
  const present = [...new Set(blocked_by)].filter(
    (blocker) =>
      findRecord(tx.db, repo_id, blocker)?.kind === 'issue' &&
      !isBlockedBy(tx.db, repo_id, blocker, number),
  )
  if (findIssue(tx.db, repo_id, number))
    setBlockers(tx, repo_id, number, present.slice(0, MAX_BLOCKERS))
}

/** Adds reactions to an issue or pull request itself; one that is there already stays. */
export function importRecordReactions(
  tx: Tx,
  repo_id: string,
  number: number,
  reactions: readonly ImportedReaction[],
): void {
  for (const { content, actor_id } of reactions)
    insertRecordReaction(tx, repo_id, number, content, actor_id)
}

/** Adds reactions to a comment; one that is there already stays. */
export function importReactions(
  tx: Tx,
  comment_id: string,
  reactions: readonly ImportedReaction[],
): void {
  for (const { content, actor_id } of reactions) insertReaction(tx, comment_id, content, actor_id)
}
