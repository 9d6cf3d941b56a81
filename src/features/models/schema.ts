/** Model routes as clients see them. */
import { Id, Nullable, OneOf, Type, type Static } from '#core/schema.ts'

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
