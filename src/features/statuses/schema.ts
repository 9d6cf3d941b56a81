/** Records of commit statuses. */
import { Actor, Id, Nullable, OneOf, Sha, Time, Type, type Static } from '#core/schema.ts'

export const STATES = ['pending', 'success', 'failure', 'error'] as const
export type State = (typeof STATES)[number]

export const CommitStatus = Type.Object(
  {
    id: Id('sts'),
    sha: Sha,
    state: OneOf(STATES),
    context: Type.String({ description: 'What was looked at, such as ci/build.' }),
    description: Nullable(Type.String()),
    target_url: Nullable(Type.String()),
    creator: Nullable(Actor),
    created_at: Time,
  },
  { $id: 'CommitStatus', description: 'What was said of a commit from outside, under one name.' },
)
export type CommitStatus = Static<typeof CommitStatus>

export const CombinedStatus = Type.Object(
  {
    sha: Sha,
    state: OneOf(['none', 'pending', 'success', 'failure'], {
      description:
        'failure if any failed or erred, else pending if any is pending, else success; none without any.',
    }),
    statuses: Type.Array(CommitStatus, { description: 'The latest of each context, by name.' }),
    total: Type.Integer(),
  },
  { $id: 'CombinedStatus', description: 'All that was said of a commit.' },
)
export type CombinedStatus = Static<typeof CombinedStatus>
