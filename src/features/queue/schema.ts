/** Records of the merge queue. */
import { Actor, Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { Checks } from '#features/checks/schema.ts'
import { MERGE_METHODS } from '#features/pulls/schema.ts'

export const QUEUE_STATES = [
  'queued',
  'testing',
  'passed',
  'landing',
  'landed',
  'failed',
  'removed',
] as const
export type QueueState = (typeof QUEUE_STATES)[number]

const NullableText = (description: string) =>
  Type.Union([Type.String(), Type.Null()], { description })

export const QueueEntry = Type.Object(
  {
    id: Id('mqe'),
    pull: Type.Object({ number: Type.Integer(), title: Type.String(), author: Actor }),
    position: Type.Union([Type.Integer(), Type.Null()], {
      description: 'From 1 in landing order; null once it has landed or left.',
    }),
    state: OneOf(QUEUE_STATES),
    attempt: Type.Integer({
      minimum: 1,
      description:
        'One more each time that the base was moved from elsewhere while it was tested; at most 3.',
    }),
    method: OneOf(MERGE_METHODS),
    base_sha: NullableText(
      'What its candidate was built on: the base, or the candidate of the entry ahead.',
    ),
    head_sha: Type.String({ description: 'The head that was asked to be merged.' }),
    candidate_sha: NullableText('The commit that is tested, and that lands as it is.'),
    candidate_tree: NullableText('Its tree.'),
    checks: Checks,
    reason: NullableText('Why it left, one word.'),
    note: NullableText('The same, or what it waits for, in words.'),
    queued_by: Actor,
    queued_at: Time,
    started_at: Nullable(Time),
    settled_at: Nullable(Time),
    estimated_at: Type.Union([Time, Type.Null()], {
      description:
        'When it may land, going by those that landed lately; null while nothing is known or nothing lands.',
    }),
  },
  { $id: 'QueueEntry', description: 'A pull request in the merge queue.' },
)
export type QueueEntry = Static<typeof QueueEntry>

export const MergeQueue = Type.Object(
  {
    enabled: Type.Boolean({ description: 'Whether merging goes through it.' }),
    base: Type.String({ description: 'The branch that it lands on.' }),
    bases: Type.Array(Type.String(), { description: 'All branches that something waits for.' }),
    paused: Nullable(Type.Object({ by: Actor, at: Time, reason: Type.String() })),
    waiting: Type.Array(QueueEntry, { description: 'In landing order.' }),
    recent: Type.Array(QueueEntry, {
      description: 'The last 20 that landed or left, newest first.',
    }),
  },
  {
    $id: 'MergeQueue',
    description: 'What waits to land on a branch, and what landed or left lately.',
  },
)
export type MergeQueue = Static<typeof MergeQueue>
