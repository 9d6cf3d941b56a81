/** What a model proposes for an issue. */
import { Actor, Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const SEVERITIES = ['critical', 'high', 'medium', 'low'] as const

export const PROPOSAL_KINDS = ['label', 'duplicate', 'severity', 'question'] as const
export const PROPOSAL_STATES = ['open', 'accepted', 'dismissed', 'applied'] as const
export const TRIAGE_STATUSES = ['none', 'waiting', 'done', 'failed'] as const

export const TriageProposal = Type.Object(
  {
    id: Id('tri'),
    kind: OneOf(PROPOSAL_KINDS),
    label: Nullable(Type.String({ description: 'A label that the repository has.' })),
    duplicate_of: Nullable(
      Type.Object(
        { number: Type.Integer(), title: Type.String() },
        {
          description: 'An issue of the repository that seems to say the same.',
        },
      ),
    ),
    severity: Nullable(OneOf(SEVERITIES)),
    question: Nullable(Type.String({ description: 'What the author should be asked.' })),
    reason: Type.String({ description: 'Why, as the model says.' }),
    state: OneOf(PROPOSAL_STATES, {
      description: 'applied: the repository lets labels be added without a person.',
    }),
    decided_by: Nullable(Actor),
    decided_at: Nullable(Time),
  },
  { $id: 'TriageProposal', description: 'One proposal of a model for an issue.' },
)
export type TriageProposal = Static<typeof TriageProposal>

export const IssueTriage = Type.Object(
  {
    repo: Type.String(),
    number: Type.Integer(),
    enabled: Type.Boolean({ description: 'Whether the repository has triage switched on.' }),
    status: OneOf(TRIAGE_STATUSES, { description: 'none: no model has read the issue.' }),
    proposals: Type.Array(TriageProposal),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    cost_usd: Nullable(Type.Number()),
    taken_at: Nullable(Time),
    ended_at: Nullable(Time),
  },
  { $id: 'IssueTriage', description: 'What a model proposes for an issue.' },
)
export type IssueTriage = Static<typeof IssueTriage>
