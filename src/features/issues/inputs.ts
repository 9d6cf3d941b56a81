/** Inputs that several operations share. */
import { Nullable, OneOf, Type } from '#core/schema.ts'

/** Maximum lengths of texts, in code points. */
export const MAX_ASSIGNEES = 10

export const MAX_TITLE_LENGTH = 256
export const MAX_LOCK_REASON_LENGTH = 80
export const MAX_BODY_LENGTH = 65_536

export const TitleInput = Type.String({
  minLength: 1,
  maxLength: MAX_TITLE_LENGTH,
  description: 'The problem or goal in one line.',
})
export const BodyInput = Type.String({ maxLength: MAX_BODY_LENGTH, description: 'Markdown.' })
export const CommentBodyInput = Type.String({
  minLength: 1,
  maxLength: MAX_BODY_LENGTH,
  description: 'Markdown.',
})

export const LabelNameInput = Type.String({ minLength: 1, maxLength: 50 })
export const LabelColorInput = Type.String({
  minLength: 6,
  maxLength: 7,
  description: 'Six hex digits.',
  examples: ['d73a4a'],
})
export const LabelDescriptionInput = Nullable(Type.String({ maxLength: 200 }))

export const LabelsInput = Type.Array(LabelNameInput, {
  maxItems: 100,
  description: 'Names of labels; an unknown name makes the label (needs the role triage).',
})
export const ChecksInput = Type.Array(Type.String({ minLength: 1, maxLength: 1000 }), {
  maxItems: 20,
  description: 'Commands that must pass for a pull request to be accepted, in this order.',
})
export const AssigneesInput = Type.Array(Type.String({ minLength: 1, maxLength: 120 }), {
  maxItems: MAX_ASSIGNEES,
  description: 'Usernames; a running agent is <username>/<agent name>.',
})
export const MilestoneInput = Type.String({
  maxLength: MAX_TITLE_LENGTH,
  description: 'The id or the title of a milestone; empty for none.',
})
export const BlockedByInput = Type.Array(Type.Integer({ minimum: 1, maximum: 2147483647 }), {
  maxItems: 100,
  description: 'Numbers of issues of this repository that must close first.',
})

export const StateFilter = OneOf(['open', 'closed', 'all'], { description: 'Open unless given.' })

/** A malformed id is not found (404), like an unknown one, so that probing reveals nothing. */
export const CommentId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a comment.',
  examples: ['cmt_01h455vb4pex5vsknk084sn02q'],
})
export const MilestoneId = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The id of a milestone.',
})
export const LabelName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'The name of a label.',
})
