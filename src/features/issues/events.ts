/** Events of issues and comments. */
import { event, internalEvent } from '#core/events.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import { fieldWords } from '#lib/field-words.ts'
import { ChangedValues } from './changed-values.ts'
import { CLOSE_REASONS } from './schema.ts'

const number = Type.Integer({ description: 'The issue.' })

export const issueOpened = event(
  'issue.opened',
  Type.Object({ number }),
  ({ number }, by) => `${by} opened issue #${number}`,
)

export const issueUpdated = event(
  'issue.updated',
  Type.Object({
    number,
    changed: Type.Array(Type.String(), { description: 'Names of the fields that changed.' }),
    values: ChangedValues,
  }),
  ({ number, changed }, by) => `${by} changed ${fieldWords(changed)} of issue #${number}`,
)

export const issueAssigned = event(
  'issue.assigned',
  Type.Object({
    number,
    assignees: Type.Array(Type.String(), { description: 'Usernames of all who are assigned now.' }),
    values: ChangedValues,
  }),
  ({ number, assignees }, by) =>
    assignees.length === 0
      ? `${by} unassigned everyone from issue #${number}`
      : `${by} assigned issue #${number} to ${assignees.join(', ')}`,
)

export const issueClosed = event(
  'issue.closed',
  Type.Object({
    number,
    reason: OneOf(CLOSE_REASONS),
    resolved_by: Nullable(Type.Integer({ description: 'The pull request whose merge closed it.' })),
  }),
  ({ number, reason, resolved_by }, by) =>
    resolved_by !== null
      ? `${by} closed issue #${number} by merging pull request #${resolved_by}`
      : `${by} closed issue #${number} as ${reason === 'completed' ? 'completed' : 'not planned'}`,
)

export const issueReopened = event(
  'issue.reopened',
  Type.Object({ number }),
  ({ number }, by) => `${by} reopened issue #${number}`,
)

/**
 * Also appended for reviews of pull requests: then `review` and `verdict` are set, and `comment`
 * may be null.
 */
export const commentCreated = event(
  'comment.created',
  Type.Object({
    number: Type.Integer({ description: 'The issue or pull request.' }),
    comment: Nullable(Type.String({ description: 'The id of the comment.' })),
    review: Nullable(Type.String({ description: 'The id of the review.' })),
    verdict: Nullable(Type.String()),
    path: Nullable(Type.String()),
    line: Nullable(Type.Integer()),
  }),
  ({ number, review, path, line }, by) => {
    if (review !== null) return `${by} reviewed #${number}`
    return path !== null
      ? `${by} commented on #${number} at ${path} line ${line}`
      : `${by} commented on #${number}`
  },
)

export const events = [
  issueOpened,
  issueUpdated,
  issueAssigned,
  issueClosed,
  issueReopened,
  commentCreated,
] as const

/** The text of a comment was edited. */
export const commentEdited = internalEvent(
  'comment.edited',
  Type.Object({ repo_id: Type.String(), number: Type.Integer(), comment: Type.String() }),
)
