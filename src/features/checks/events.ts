/** What is told of acceptance checks. */
import { event, signal } from '#core/events.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'

const ENDS = ['passed', 'failed', 'errored'] as const

/** All commands of a pull request's issue have ended on one head. Part of the public interface. */
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

/**
 * The same for whoever asked for a run by itself, in the transaction that ends it; for the checks
 * of pull requests too.
 */
export const checksFinished = signal(
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
