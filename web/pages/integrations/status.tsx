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

export const IntegrationStatus = ({ status }: Pick<Integration, 'status'>) => {
  const { icon, tone, label } = STATUSES[status]
  return (
    <Badge icon={icon} tone={tone}>
      {label}
    </Badge>
  )
}
