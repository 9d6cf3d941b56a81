/** Events of pull requests and sessions. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'
import { fieldWords } from '#lib/field-words.ts'
import { PushSignature } from '#features/repos/schema.ts'
import { ChangedValues } from '#features/issues/index.ts'

const pullFields = { number: Type.Integer(), issue: Nullable(Type.Integer()) }

export const pullOpened = event(
  'pull.opened',
  Type.Object(pullFields),
  ({ number }, by) => `${by} opened pull request #${number}`,
)

export const pullReady = event(
  'pull.ready',
  Type.Object(pullFields),
  ({ number }, by) => `${by} marked pull request #${number} ready for review`,
)

/**
 * `changed` names the changed fields of the record. `head` is the head commit after the change.
 * `reason` says why the service made the change.
 */
export const pullUpdated = event(
  'pull.updated',
  Type.Object({
    ...pullFields,
    changed: Type.Array(Type.String()),
    head: Nullable(Type.String()),
    reason: Type.Optional(Type.String()),
    values: ChangedValues,
    signature: Type.Optional(PushSignature),
  }),
  ({ number, changed, head, signature }, by) =>
    changed.includes('head') && head !== null
      ? `${by} pushed ${head.slice(0, 7)} to pull request #${number}${signature?.verified ? ', signed' : ''}`
      : `${by} changed ${fieldWords(changed)} of pull request #${number}`,
)

/** A merge was requested that does not happen at once: it waits for blockers or in a queue. */
export const pullMergeRequested = event(
  'pull.merge_requested',
  Type.Object(pullFields),
  ({ number }, by) => `${by} asked for pull request #${number} to be merged`,
)

export const pullClosed = event(
  'pull.closed',
  Type.Object({ ...pullFields, superseded_by: Nullable(Type.Integer()) }),
  ({ number, superseded_by }, by) =>
    superseded_by === null
      ? `${by} closed pull request #${number}`
      : `pull request #${number} was closed in favour of #${superseded_by}`,
)

/** `checks_ignored` is present, and true, when it was merged although its checks had failed. */
export const pullMerged = event(
  'pull.merged',
  Type.Object({
    ...pullFields,
    commit: Type.String(),
    method: Nullable(Type.String()),
    merged_by: Nullable(Type.String()),
    checks_ignored: Type.Optional(Type.Boolean()),
  }),
  ({ number, commit, checks_ignored }, by) =>
    `${by} merged pull request #${number} as ${commit.slice(0, 7)}${checks_ignored ? ' although its checks had failed' : ''}`,
)

/** A review by an agent. Reviews by people are `comment.created`. */
export const reviewCompleted = event(
  'review.completed',
  Type.Object({ number: Type.Integer(), review: Type.String(), verdict: Type.String() }),
  ({ number, verdict }, by) =>
    `${by} reviewed pull request #${number}: ${verdict.replace('_', ' ')}`,
)

export const sessionAppended = event(
  'session.appended',
  Type.Object({ number: Type.Integer(), from_seq: Type.Integer(), last_seq: Type.Integer() }),
  ({ number, from_seq, last_seq }) =>
    last_seq === from_seq
      ? `the session of pull request #${number} grew by one entry`
      : `the session of pull request #${number} grew by ${last_seq - from_seq + 1} entries`,
)

export const events = [
  pullOpened,
  pullReady,
  pullUpdated,
  pullMergeRequested,
  pullClosed,
  pullMerged,
  reviewCompleted,
  sessionAppended,
]
