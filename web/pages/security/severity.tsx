// Severities and states of findings, by a shape and a word.
import type { Severity } from '#features/security/index.ts'
import { Chip, type IconName, type Tone } from '../../components/index.ts'
import { texts } from '../../text.ts'

export const SEVERITY_LABELS = texts({
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  warning: 'Warning',
  note: 'Note',
})

/** The name of a severity that is not known by its type. */
export const severityLabel = (severity: string): string =>
  (SEVERITY_LABELS as Readonly<Record<string, string>>)[severity] ?? severity

const STYLES: Readonly<Record<Severity, { icon: IconName; tone: Tone }>> = {
  critical: { icon: 'warning', tone: 'bad' },
  high: { icon: 'warning', tone: 'bad' },
  medium: { icon: 'caution', tone: 'wait' },
  low: { icon: 'info', tone: 'info' },
  warning: { icon: 'caution', tone: 'wait' },
  note: { icon: 'info', tone: 'plain' },
}

export const SeverityChip = ({ severity }: { severity: Severity }) => (
  <Chip icon={STYLES[severity].icon} tone={STYLES[severity].tone}>
    {SEVERITY_LABELS[severity]}
  </Chip>
)
