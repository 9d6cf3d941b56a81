// How webhooks and deliveries are told: by a word, a shape and a colour.
import type { Delivery, Webhook } from '#features/webhooks/index.ts'
import { Badge, Icon, type IconName, type Tone } from '../../components/index.ts'

type Look = { readonly icon: IconName; readonly tone: Tone; readonly word: string }

const LIGHTS: Readonly<Record<Webhook['status'], Look>> = {
  green: { icon: 'check', tone: 'good', word: 'Delivered' },
  amber: { icon: 'clock', tone: 'wait', word: 'Waiting to retry' },
  red: { icon: 'close', tone: 'bad', word: 'Failed' },
  none: { icon: 'circle', tone: 'plain', word: 'Nothing sent yet' },
}

export const lightLook = (hook: Webhook): Look => LIGHTS[hook.status]

const STATES: Readonly<Record<Delivery['state'], Look>> = {
  sent: { icon: 'clock', tone: 'plain', word: 'On its way' },
  delivered: { icon: 'check', tone: 'good', word: 'Delivered' },
  waiting: { icon: 'clock', tone: 'wait', word: 'Waiting to retry' },
  failed: { icon: 'close', tone: 'bad', word: 'Failed' },
  cancelled: { icon: 'stop', tone: 'plain', word: 'Called off' },
}

export const stateLook = (state: Delivery['state']): Look => STATES[state]

export const StateMark = ({ look }: { look: Look }) => (
  <span class={`tone-${look.tone}`}>
    <Icon name={look.icon} label={look.word} />
  </span>
)

export const StateBadge = ({ look }: { look: Look }) => (
  <Badge icon={look.icon} tone={look.tone}>
    {look.word}
  </Badge>
)

const ERRORS: Readonly<Record<NonNullable<Delivery['error']>, string>> = {
  timeout: 'No answer within 10 seconds',
  dns: 'The name has no address',
  refused: 'Nobody could be reached there',
  tls: 'The secure connection failed',
  blocked_address:
    'The address is not public; an administrator may allow it with the setting outbound.allow',
  redirect: 'It redirects elsewhere, which is not followed',
}

/** What came of the last try, in a few words; null before the first. */
export function resultOf({ error, response }: Delivery): string | null {
  if (error !== null)
    return response === null ? ERRORS[error] : `${ERRORS[error]} (status ${response.status})`
  return response === null ? null : `Status ${response.status}`
}

/** What a webhook is told of, in a few words. */
export const eventsText = (events: readonly string[]): string =>
  events.length === 0
    ? 'Everything'
    : events.length <= 3
      ? events.join(', ')
      : `${events.slice(0, 2).join(', ')} and ${events.length - 2} more`
