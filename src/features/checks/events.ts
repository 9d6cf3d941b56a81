/** Events of acceptance checks. */
import { event, internalEvent } from '#core/events.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'

const ENDS = ['passed', 'failed', 'errored'] as const

/** All commands of an issue ended for one head of a pull request. Part of the public interface. */
export const checksCompleted = event(
  'checks.completed',
  Type.Object({
    number: Type.Integer({ description: 'The pull request.' }),
    issue: Nullable(Type.Integer()),
    sha: Type.String({ description: 'Its head commit.' }),
    status: OneOf(ENDS),
  }),
  ({ number, sha, status }) =>
    `the checks of pull request #${number} ${status === 'errored' ? 'did not finish' : status} on ${sha.slice(0, 7)}`,
)

/** A run ended. Internal event in the same transaction, for queue tests and pull requests alike. */
export const checksFinished = internalEvent(
  'checks.finished',
  Type.Object({
    run_id: Type.String(),
    repo_id: Type.String(),
    number: Type.Integer(),
    purpose: OneOf(['pull', 'queue']),
    status: OneOf(ENDS),
  }),
)

export const events = [checksCompleted]
