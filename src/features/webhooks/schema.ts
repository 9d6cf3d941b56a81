/** Records of webhooks. */
import {
  Actor,
  Id,
  ListOf,
  Nullable,
  OneOf,
  type Static,
  secretText,
  Time,
  Type,
} from '#core/schema.ts'

export const MAX_WEBHOOKS = 20
export const MAX_ATTEMPTS = 6

export const STATES = ['sent', 'delivered', 'waiting', 'failed', 'cancelled'] as const
export type DeliveryState = (typeof STATES)[number]
export const DeliveryStateWord = OneOf(STATES, {
  description:
    'On its way, arrived, waiting for the next try, given up after six tries, or called off because the webhook was paused.',
})

export const LIGHTS = ['green', 'amber', 'red', 'none'] as const
export type Light = (typeof LIGHTS)[number]

export const ERRORS = ['timeout', 'dns', 'refused', 'tls', 'blocked_address', 'redirect'] as const
export type DeliveryError = (typeof ERRORS)[number]

export const Webhook = Type.Object(
  {
    id: Id('whk'),
    level: OneOf(['repository', 'workspace'] as const),
    repository: Nullable(Type.String({ description: 'Its full name; null for a workspace.' })),
    workspace: Type.String(),
    // Addresses of chat services are ways in.
    url: Type.String(secretText),
    events: Type.Array(Type.String(), {
      description: 'Types of events; none means everything, types that come later included.',
    }),
    active: Type.Boolean({ description: 'False while it is paused.' }),
    has_secret: Type.Boolean(),
    secret: Nullable(Type.String({ description: 'Only in the answer that made it.' })),
    status: OneOf(LIGHTS, {
      description:
        'How the newest delivery that was tried stands: arrived, waiting for the next try, failed; none before the first.',
    }),
    last_delivery: Nullable(Type.Object({ id: Id('dlv'), state: DeliveryStateWord, at: Time })),
    created_by: Nullable(Actor),
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'Webhook',
    description: 'An address that is told what happens in a repository or in all of a workspace.',
  },
)
export type Webhook = Static<typeof Webhook>
export const Webhooks = ListOf(Webhook)

const Headers = Type.Record(Type.String(), Type.String())

export const Delivery = Type.Object(
  {
    id: Id('dlv'),
    hook: Id('whk'),
    event: Type.Object({ id: Id('evt'), type: Type.String() }),
    state: DeliveryStateWord,
    attempt: Type.Integer({
      minimum: 1,
      maximum: MAX_ATTEMPTS,
      description: 'Which try this is, of six.',
    }),
    redelivery_of: Nullable(Id('dlv')),
    request: Type.Object({ url: Type.String(secretText), headers: Headers, body: Type.String() }),
    response: Nullable(
      Type.Object({
        status: Type.Integer(),
        headers: Headers,
        body: Type.String({ description: 'Cut at 64 KiB; in lists at 1 KiB.' }),
      }),
    ),
    error: Nullable(
      OneOf(ERRORS, {
        description: 'Why there is no usable answer; null when there is one, whatever its status.',
      }),
    ),
    duration_ms: Nullable(Type.Integer()),
    next_retry_at: Nullable(Time),
    created_at: Time,
    finished_at: Nullable(Time),
  },
  {
    $id: 'WebhookDelivery',
    description: 'One event on its way to one webhook, with the last try.',
  },
)
export type Delivery = Static<typeof Delivery>
export const Deliveries = ListOf(Delivery)
