/** Questions about a repository, as the person who asked sees them. */
import { Id, ListOf, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const MAX_QUESTION_CHARS = 2_000
/** Questions of one person about one repository that are being answered. */
export const MAX_ANSWERING = 3

export const QUESTION_STATUSES = ['answering', 'answered', 'failed'] as const

export const Citation = Type.Object({
  label: Type.String({ description: 'A file with its lines, or the number of an issue.' }),
  url: Type.String(),
})
export type Citation = Static<typeof Citation>

export const RepoQuestion = Type.Object(
  {
    id: Id('ask'),
    repo: Type.String(),
    question: Type.String(),
    status: OneOf(QUESTION_STATUSES),
    answer: Nullable(Type.String({ description: 'Markdown, with citations as links.' })),
    citations: Type.Array(Citation, { description: 'Each was checked to exist.' }),
    dropped: Type.Integer({
      description: 'Citations that were struck: they do not exist, or you may not see them.',
    }),
    steps: Type.Array(Type.String(), { description: 'What was searched and read.' }),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    cost_usd: Nullable(Type.Number()),
    created_at: Time,
    answered_at: Nullable(Time),
  },
  { $id: 'RepoQuestion', description: 'A question about a repository and its answer.' },
)
export type RepoQuestion = Static<typeof RepoQuestion>
export const SUMMARY_STATUSES = ['summarizing', 'done', 'outdated', 'failed'] as const

export const SessionSummary = Type.Object(
  {
    repo: Type.String(),
    number: Type.Integer(),
    status: OneOf(SUMMARY_STATUSES, {
      description: 'outdated: the session or the conversation went on, or a text was changed.',
    }),
    summary: Nullable(
      Type.String({ description: 'Markdown by a model, with citations as links.' }),
    ),
    citations: Type.Array(Citation, { description: 'Each was checked to exist.' }),
    dropped: Type.Integer({
      description: 'Citations that were struck: they do not exist, or you may not see them.',
    }),
    entries: Type.Integer({ description: 'The last entry of the session that was read.' }),
    error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    cost_usd: Nullable(Type.Number()),
    created_at: Time,
    ended_at: Nullable(Time),
  },
  { $id: 'SessionSummary', description: 'What a model says that happened on a pull request.' },
)
export type SessionSummary = Static<typeof SessionSummary>

export const RepoQuestions = ListOf(RepoQuestion)
