/** Model routes as clients see them. */
import { Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'

export const MODEL_TASKS = [
  'code',
  'review',
  'plan',
  'summarize',
  'triage',
  'assistant',
  'embed',
  'default',
] as const
export type ModelTask = (typeof MODEL_TASKS)[number]

export const Fallback = Type.Object({
  integration: Id('itg'),
  model: Type.String({ minLength: 1, maxLength: 200 }),
})

export const ModelRoute = Type.Object(
  {
    task: OneOf(MODEL_TASKS, { description: 'default: every task without a route of its own.' }),
    integration: Id('itg'),
    model: Type.String({ description: 'What the provider calls the model.' }),
    max_output_tokens: Nullable(Type.Integer()),
    temperature: Nullable(Type.Number()),
    max_usd: Nullable(Type.Number({ description: 'The most that one run of the task may cost.' })),
    fallback: Type.Array(Fallback, { description: 'Tried in order when the model fails.' }),
  },
  { $id: 'ModelRoute', description: 'Which model does a task.' },
)
export type ModelRoute = Static<typeof ModelRoute>

export const ModelRoutes = Type.Object(
  { routes: Type.Array(ModelRoute) },
  { $id: 'ModelRoutes', description: 'Which model does which task of a workspace.' },
)
export type ModelRoutes = Static<typeof ModelRoutes>

export const ModelGateway = Type.Object(
  {
    enabled: Type.Boolean({
      description:
        'Whether programs outside may call the models, with tokens that have the scope models:use.',
    }),
    max_usd_per_day: Nullable(
      Type.Number({ description: 'The most that all of them together may spend a day (UTC).' }),
    ),
    spent_usd_today: Type.Number(),
    url: Type.String({
      description: 'The base address for clients of OpenAI. Those of Anthropic leave /v1 out.',
    }),
  },
  { $id: 'ModelGateway', description: 'Who may call the models of a workspace over HTTP.' },
)
export type ModelGateway = Static<typeof ModelGateway>

export const USAGE_GROUPS = ['day', 'agent', 'pull', 'task', 'model'] as const
export type UsageGroup = (typeof USAGE_GROUPS)[number]

export const UsageRow = Type.Object({
  key: Nullable(
    Type.String({
      description: 'A day, an id, a task or a model; null for calls of no pull request.',
    }),
  ),
  name: Nullable(
    Type.String({ description: 'The key for people: a username, or <owner>/<name>#<number>.' }),
  ),
  calls: Type.Integer(),
  estimated_calls: Type.Integer({
    description: 'Calls whose provider did not report their tokens.',
  }),
  unpriced_calls: Type.Integer({ description: 'Calls of models without a price.' }),
  input_tokens: Type.Integer(),
  output_tokens: Type.Integer(),
  cost_usd: Nullable(
    Type.Number({ description: 'Null when no model had a price, so the cost is not known.' }),
  ),
})
export type UsageRow = Static<typeof UsageRow>

export const ModelUsage = Type.Object(
  {
    by: OneOf(USAGE_GROUPS),
    since: Time,
    total: UsageRow,
    rows: Type.Array(UsageRow, {
      description: 'At most 100: days newest first, others by what they cost.',
    }),
  },
  { $id: 'ModelUsage', description: 'What the models of a workspace have cost.' },
)
export type ModelUsage = Static<typeof ModelUsage>
