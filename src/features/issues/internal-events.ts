/** Internal events of issues. They are not part of the timeline. */
import { internalEvent } from '#core/events.ts'
import { Nullable, Type } from '#core/schema.ts'

/** A thread on a line of a pull request was resolved or unresolved. */
export const conversationResolved = internalEvent(
  'issues.conversation_resolved',
  Type.Object({ repo_id: Type.String(), number: Type.Integer() }),
)

/** Issues and pull requests came with their workspace from another forge. */
export const recordsArrived = internalEvent(
  'issues.records_arrived',
  Type.Object({ repo_id: Type.String(), numbers: Type.Array(Type.Integer()) }),
)

/** An import brought that an issue or pull request named another one of its repository. */
export const referenceImported = internalEvent(
  'issues.reference_imported',
  Type.Object({
    repo_id: Type.String(),
    /** The record that names. */
    number: Type.Integer(),
    /** The record that is named. */
    target: Type.Integer(),
    actor_id: Nullable(Type.String()),
    at: Type.String(),
  }),
)
