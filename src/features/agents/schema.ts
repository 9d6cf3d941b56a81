/** Agents as clients see them. */
import { Actor, Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const AGENT_ROLES = ['read', 'triage', 'write'] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

export const AGENT_STATES = ['idle', 'working', 'waiting', 'stopped', 'finished'] as const

const properties = {
  id: Id('agt'),
  name: Type.String(),
  repo: Type.String({ description: 'The only repository that it acts in, as <owner>/<name>.' }),
  pull: Nullable(
    Type.Integer({ description: 'The pull request that it was started for; it ends with that.' }),
  ),
  owner: Actor,
  role: OneOf(AGENT_ROLES),
  scopes: Type.Array(Type.String()),
  state: OneOf(AGENT_STATES, {
    description:
      'working: seen in the last minutes; waiting: it asked a question in a session; idle: neither; stopped: by somebody; finished: its pull request or its time is over.',
  }),
  waiting_for: Nullable(
    Type.String({
      description: 'Why the built-in agent waits for a person; resume_agent lets it go on.',
    }),
  ),
  queued_before: Nullable(
    Type.Integer({
      description:
        'How many runs began to wait for a free place before it; null unless it waits for one.',
    }),
  ),
  state_since: Nullable(
    Type.String({
      format: 'date-time',
      description: 'Since when the built-in agent is in this state; null for others.',
    }),
  ),
  asked: Type.Boolean({
    description: 'Whether the built-in agent waits for an answer to a question: answer_agent.',
  }),
  model: Nullable(Type.String()),
  max_usd: Nullable(Type.Number({ description: 'It is stopped once it has cost this.' })),
  cost_usd: Type.Number({
    description:
      'What its calls of the model gateway cost, and what it has reported in usage entries of sessions.',
  }),
  started_at: Time,
  last_seen_at: Nullable(Time),
  expires_at: Time,
  stopped: Nullable(
    Type.Object({ by: Nullable(Actor), at: Time, reason: Nullable(Type.String()) }),
  ),
}

const token = {
  id: Id('tok'),
  last_four: Type.String({ description: 'The last four characters of the secret.' }),
}

export const Agent = Type.Object(
  { ...properties, token: Type.Object(token) },
  { $id: 'Agent', description: 'A software agent that acts for a person in one repository.' },
)
export type Agent = Static<typeof Agent>
export const Agents = ListOf(Agent)

/**
 * The response that contains the secret. The secret is null when the response is replayed for a
 * repeated request.
 */
export const NewAgent = Type.Object(
  {
    ...properties,
    token: Type.Object({
      ...token,
      secret: Nullable(Type.String({ description: 'Shown in this answer only.' })),
    }),
  },
  { $id: 'NewAgent', description: 'An agent that was just started, with the secret of its token.' },
)

export const QUESTION_STATES = ['waiting', 'answered', 'expired'] as const
export type QuestionState = (typeof QUESTION_STATES)[number]

export const Question = Type.Object(
  {
    id: Id('qst'),
    pull: Type.Integer({ description: 'The pull request that was asked.' }),
    seq: Type.Integer({
      description:
        'Its entry in the session of that pull request; the answer is an entry after it, whose data.of is this number.',
    }),
    from: Actor,
    from_pull: Nullable(
      Type.Integer({ description: 'The pull request on whose account it was asked.' }),
    ),
    text: Type.String(),
    state: OneOf(QUESTION_STATES),
    answer: Nullable(Type.String()),
    created_at: Time,
    answered_at: Nullable(Time),
  },
  { $id: 'Question', description: 'A question to whoever works on a pull request.' },
)
export type Question = Static<typeof Question>
