// The state of an integration as a word, a shape and a colour.
import type { Integration } from '#features/integrations/index.ts'
import { Badge, type IconName, type Tone } from '../../components/index.ts'
import { localized } from '../../text.ts'

type StatusStyle = { readonly icon: IconName; readonly tone: Tone; readonly label: string }

const STATUSES: Readonly<Record<Integration['status'], StatusStyle>> = localized({
  connected: { icon: 'check', tone: 'good', label: 'Connected' },
  failing: { icon: 'warning', tone: 'bad', label: 'Failing' },
  disabled: { icon: 'stop', tone: 'plain', label: 'Switched off' },
})

/** Whether a service only sends events here, so that there is no connection to test. */
export const onlySends = ({ kind }: Pick<Integration, 'kind'>): boolean =>
  kind === 'error_tracker' || kind === 'monitoring' || kind === 'webhook'

export const IntegrationStatus = ({ status }: Pick<Integration, 'status'>) => {
  const { icon, tone, label } = STATUSES[status]
  return (
    <Badge icon={icon} tone={tone}>
      {label}
    </Badge>
  )
}
