// States of webhooks and deliveries as a word, a shape and a colour.
import type { Delivery, Webhook } from '#features/webhooks/index.ts'
import { Badge, Icon, type IconName, type Tone } from '../../components/index.ts'
import { localized, t, texts, tn } from '../../text.ts'

type StatusStyle = { readonly icon: IconName; readonly tone: Tone; readonly label: string }

const LIGHTS: Readonly<Record<Webhook['status'], StatusStyle>> = localized({
  green: { icon: 'check', tone: 'good', label: 'Delivered' },
  amber: { icon: 'clock', tone: 'wait', label: 'Waiting to retry' },
  red: { icon: 'close', tone: 'bad', label: 'Failed' },
  none: { icon: 'circle', tone: 'plain', label: 'Nothing sent yet' },
})

export const webhookStatusStyle = (hook: Webhook): StatusStyle => LIGHTS[hook.status]

const STATES: Readonly<Record<Delivery['state'], StatusStyle>> = localized({
  sent: { icon: 'clock', tone: 'plain', label: 'On its way' },
  delivered: { icon: 'check', tone: 'good', label: 'Delivered' },
  waiting: { icon: 'clock', tone: 'wait', label: 'Waiting to retry' },
  failed: { icon: 'close', tone: 'bad', label: 'Failed' },
  cancelled: { icon: 'stop', tone: 'plain', label: 'Cancelled' },
})

export const deliveryStateStyle = (state: Delivery['state']): StatusStyle => STATES[state]

export const StateMark = ({ of }: { of: StatusStyle }) => (
  <span class={`tone-${of.tone}`}>
    <Icon name={of.icon} label={of.label} />
  </span>
)

export const StateBadge = ({ of }: { of: StatusStyle }) => (
  <Badge icon={of.icon} tone={of.tone}>
    {of.label}
  </Badge>
)

const ERRORS: Readonly<Record<NonNullable<Delivery['error']>, string>> = texts({
  timeout: 'No answer within 10 seconds',
  dns: 'The host name could not be resolved',
  refused: 'The host could not be reached',
  tls: 'The secure connection failed',
  blocked_address:
    'The address is not public; an administrator may allow it with the setting outbound.allow',
  redirect: 'It redirects elsewhere, which is not followed',
})

/** The result of the last attempt. Null before the first. */
export function describeResult({ error, response }: Delivery): string | null {
  if (error !== null)
    return response === null
      ? ERRORS[error]
      : t('{error} (status {status})', { error: ERRORS[error], status: response.status })
  return response === null ? null : t('Status {status}', { status: response.status })
}

/** The events of a webhook, in a few words. */
export const eventsText = (events: readonly string[]): string =>
  events.length === 0
    ? t('Everything')
    : events.length <= 3
      ? events.join(', ')
      : tn('{names} and {count} more', '{names} and {count} more', events.length - 2, {
          names: events.slice(0, 2).join(', '),
        })
