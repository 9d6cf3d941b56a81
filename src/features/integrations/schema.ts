/** Integrations as clients see them. */
import {
  Actor,
  FreeForm,
  Id,
  ListOf,
  Nullable,
  OneOf,
  Time,
  Type,
  type Static,
} from '#core/schema.ts'

export const INTEGRATION_KINDS = [
  'model_provider',
  'error_tracker',
  'monitoring',
  'webhook',
  'ticket_tracker',
] as const
export type IntegrationKind = (typeof INTEGRATION_KINDS)[number]

export const INTEGRATION_STATUSES = ['connected', 'failing', 'disabled'] as const

/** A workspace has at most this many. */
export const MAX_INTEGRATIONS = 50

export const ModelSpeed = Type.Object({
  model: Type.String({ description: 'The model that wrote a short answer.' }),
  first_token_ms: Nullable(Type.Integer({ description: 'Until the answer began.' })),
  tokens_per_second: Nullable(
    Type.Number({ description: 'While it wrote; null for an answer in one piece.' }),
  ),
  error: Nullable(Type.String({ description: 'Why it gave no answer.' })),
  measured_at: Time,
})
export type ModelSpeed = Static<typeof ModelSpeed>

/** Of a model provider that a person tested; null where no model is known. */
const Speed = Nullable(ModelSpeed)

export const Integration = Type.Object(
  {
    id: Id('itg'),
    workspace: Type.String(),
    kind: OneOf(INTEGRATION_KINDS),
    provider: Type.String({ description: 'A provider of the catalogue.' }),
    name: Type.String(),
    config: FreeForm({ description: 'As the schema of the provider says; never a secret.' }),
    has_secret: Type.Boolean(),
    enabled: Type.Boolean(),
    status: OneOf(INTEGRATION_STATUSES, {
      description: 'failing: the last connection failed, see last_error; it is still used.',
    }),
    last_checked_at: Nullable(Time),
    last_error: Nullable(Type.String()),
    offered_models: Type.Array(Type.String(), {
      description: 'The models that a model provider listed when it was tested last.',
    }),
    speed: Speed,
    created_by: Nullable(Actor),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Integration', description: 'A service that a workspace uses.' },
)
export type Integration = Static<typeof Integration>
export const Integrations = ListOf(Integration)

export const CatalogueEntry = Type.Object(
  {
    provider: Type.String(),
    title: Type.String(),
    description: Type.String(),
    kinds: Type.Array(OneOf(INTEGRATION_KINDS)),
    config_schema: FreeForm({ description: 'JSON Schema 2020-12 of config.' }),
    secret: Nullable(
      Type.Object({
        title: Type.String({ description: 'What the service calls it.' }),
        required: Type.Boolean(),
      }),
    ),
  },
  { $id: 'IntegrationProvider', description: 'A kind of service that can be connected.' },
)
export type CatalogueEntry = Static<typeof CatalogueEntry>

export const ConnectionTest = Type.Object(
  {
    ok: Type.Boolean(),
    latency_ms: Nullable(Type.Integer({ description: 'Null when nothing answered.' })),
    error: Nullable(Type.String()),
    speed: Speed,
  },
  { $id: 'ConnectionTest', description: 'Whether a service answers now.' },
)
export type ConnectionTest = Static<typeof ConnectionTest>
