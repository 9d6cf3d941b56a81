/** Incoming webhooks as clients see them. */
import { Id, ListOf, Nullable, OneOf, secretText, Time, Type, type Static } from '#core/schema.ts'

export const DELIVERY_STATES = ['done', 'ignored', 'refused', 'failed'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** Open issues of one service that sends alerts. Further alerts are counted in one issue. */
export const MAX_OPEN_ALERTS = 20
/** Open issues of one tracker. */
export const MAX_OPEN_TICKETS = 1000

export const IncomingHook = Type.Object(
  {
    integration: Id('itg'),
    repo: Type.String({ description: 'Where its issues are opened.' }),
    url: Type.String({
      ...secretText,
      description: 'The address for the service. Whoever knows it can send events.',
    }),
    labels: Type.Array(Type.String(), { description: 'Of the issues that it opens.' }),
    sync_status: Type.Boolean({
      description: 'Whether the service is told when its issues close and open again.',
    }),
    sync_comments: Type.Boolean({
      description: 'Whether comments of people with write are sent to the service.',
    }),
    can_sync: Type.Boolean({ description: 'Whether the service can be told at all.' }),
    has_secret: Type.Boolean(),
    signature: Nullable(
      Type.Object({
        header: Type.String(),
        required: Type.Boolean({ description: 'false: checked once a secret is stored.' }),
      }),
    ),
    open_issues: Type.Integer({ description: 'Issues of what is open at the service.' }),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'IncomingHook', description: 'Where a service sends events that become issues.' },
)
export type IncomingHook = Static<typeof IncomingHook>

export const IncomingDelivery = Type.Object(
  {
    event: Type.String({ description: 'As the service calls it.' }),
    state: OneOf(DELIVERY_STATES, {
      description:
        'ignored: nothing about issues, or seen before. refused: not signed with the secret.',
    }),
    message: Nullable(Type.String({ description: 'Why it was not done.' })),
    issues: Type.Array(Type.Integer(), { description: 'What it opened, changed or closed.' }),
    size: Type.Integer({ description: 'Bytes of its body.' }),
    received_at: Time,
  },
  { $id: 'IncomingDelivery', description: 'One event that a service sent.' },
)
export type IncomingDelivery = Static<typeof IncomingDelivery>
export const IncomingDeliveries = ListOf(IncomingDelivery)

export const UPDATE_STATES = ['waiting', 'sent', 'failed', 'cancelled'] as const
export type UpdateState = (typeof UPDATE_STATES)[number]
export const UPDATE_KINDS = ['status', 'comment'] as const

export const TrackerUpdate = Type.Object(
  {
    kind: OneOf(UPDATE_KINDS, { description: 'What the service is told.' }),
    issue: Type.Integer(),
    state: OneOf(UPDATE_STATES, {
      description: 'cancelled: there was nothing to tell any more, or it may not be told.',
    }),
    attempt: Type.Integer({ description: 'How often it was tried.' }),
    message: Nullable(Type.String({ description: 'Why it was not sent.' })),
    next_attempt_at: Nullable(Time),
    created_at: Time,
    finished_at: Nullable(Time),
  },
  { $id: 'TrackerUpdate', description: 'A change of an issue that a service is told.' },
)
export type TrackerUpdate = Static<typeof TrackerUpdate>
export const TrackerUpdates = ListOf(TrackerUpdate)
