/** Inputs that several operations of this feature take. */
import { Nullable, OneOf, Type } from '#core/schema.ts'

/** Longest texts, in characters (code points). */
export const TITLE_MAX = 256
export const BODY_MAX = 65_536

export const TitleInput = Type.String({
  minLength: 1,
  maxLength: TITLE_MAX,
  description: 'The problem or goal in one line.',
})
export const BodyInput = Type.String({ maxLength: BODY_MAX, description: 'Markdown.' })
export const CommentBodyInput = Type.String({
  minLength: 1,
  maxLength: BODY_MAX,
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
  maxItems: 10,
  description: 'Usernames; a running agent is <username>/<agent name>.',
})
export const MilestoneInput = Type.String({
  maxLength: TITLE_MAX,
  description: 'The id or the title of a milestone; empty for none.',
})
export const BlockedByInput = Type.Array(Type.Integer({ minimum: 1, maximum: 2147483647 }), {
  maxItems: 100,
  description: 'Numbers of issues of this repository that must close first.',
})

export const StateFilter = OneOf(['open', 'closed', 'all'], { description: 'Open unless given.' })

/** Ids are looked up and give 404 when malformed, so that nothing can be learned by probing. */
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
