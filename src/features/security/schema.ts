/** What all kinds of security findings share. */

/** The kinds of alerts, as `security.alert_opened` names them. */
export const ALERT_KINDS = ['secret', 'code', 'dependency'] as const

/** From the highest. Scanners of code also report warnings and notes. */
export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'warning', 'note'] as const
export type Severity = (typeof SEVERITIES)[number]
