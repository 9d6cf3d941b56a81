/**
 * Time: RFC 3339 in UTC with milliseconds everywhere, in tables too, because such text sorts and is
 * readable.
 */

/** An instant as `2026-01-31T23:59:59.999Z`. */
export type Timestamp = string

/** The source of the current time. Tests use one that stands still. */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const timestamp = (milliseconds: number): Timestamp => new Date(milliseconds).toISOString()

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/

/** Any RFC 3339 date-time (section 5.6) in UTC; null for other texts. */
export function parseTimestamp(text: string): Timestamp | null {
  if (!RFC3339.test(text)) return null
  const milliseconds = Date.parse(text.toUpperCase().replace(' ', 'T'))
  return Number.isNaN(milliseconds) ? null : timestamp(milliseconds)
}

/** The milliseconds of `30s`, `1m`, `2h`, `14d`. Throws a TypeError for other texts. */
export function duration(text: string): number {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text)
  if (!match) throw new TypeError(`not a duration: ${text}`)
  const unit = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }[
    match[2] as 'ms' | 's' | 'm' | 'h' | 'd'
  ]
  return Number(match[1]) * unit
}
