// The status of a plan, and the sizes of its issues, in words.
import type { PlanStatus } from '#features/plans/index.ts'
import { Badge, type IconName, type Tone } from '../../components/index.ts'
import { texts } from '../../text.ts'

export const STATUS_LABELS = texts({
  planning: 'In progress',
  ready: 'Ready',
  failed: 'Failed',
  applied: 'Applied',
} as const)

export const SIZE_LABELS = texts({
  small: 'Small',
  medium: 'Medium',
  large: 'Large',
} as const)

const STYLES: Readonly<Record<PlanStatus, readonly [IconName, Tone]>> = {
  planning: ['clock', 'wait'],
  ready: ['plan', 'good'],
  failed: ['close', 'bad'],
  applied: ['check', 'done'],
}

export const PlanBadge = ({ status }: { status: PlanStatus }) => {
  const [icon, tone] = STYLES[status]
  return (
    <Badge icon={icon} tone={tone}>
      {STATUS_LABELS[status]}
    </Badge>
  )
}
