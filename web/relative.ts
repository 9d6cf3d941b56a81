// Relative times, the same on the server and in the browser script. English is written by hand,
// because a page may have a thousand dates and `Intl` would take as long as the rest of the page.
// Other languages share one formatter.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const count = (amount: number, unit: string): string =>
  `${amount} ${unit}${amount === 1 ? '' : 's'}`

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

/** The formats of a language other than English. */
export type TimeFormats = {
  readonly date: Intl.DateTimeFormat
  readonly relative: Intl.RelativeTimeFormat
}

export const timeFormats = (locale: string): TimeFormats => ({
  date: new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  }),
  relative: new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }),
})

/** `12 Mar 2026`, in UTC. */
export const formatDate = (at: number, formats: TimeFormats | null): string => {
  const date = new Date(at)
  if (formats) return formats.date.format(date)
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

/**
 * `3 minutes ago`, `in 2 days`; the date beyond thirty days. Both arguments are milliseconds since
 * 1970.
 */
export const formatRelativeTime = (
  at: number,
  now: number,
  formats: TimeFormats | null = null,
): string => {
  const distance = Math.abs(now - at)
  if (distance >= 30 * DAY) return formatDate(at, formats)
  if (formats) return relativeByIntl(at - now, formats)
  if (distance < 45_000) return at > now ? 'in a moment' : 'just now'
  const words =
    distance < 45 * MINUTE
      ? count(Math.max(1, Math.round(distance / MINUTE)), 'minute')
      : distance < 22 * HOUR
        ? count(Math.max(1, Math.round(distance / HOUR)), 'hour')
        : count(Math.max(1, Math.round(distance / DAY)), 'day')
  return at > now ? `in ${words}` : `${words} ago`
}

const relativeByIntl = (distance: number, { relative }: TimeFormats): string => {
  const amount = Math.abs(distance)
  if (amount < 45_000) return relative.format(0, 'second')
  const [unit, length]: ['minute' | 'hour' | 'day', number] =
    amount < 45 * MINUTE ? ['minute', MINUTE] : amount < 22 * HOUR ? ['hour', HOUR] : ['day', DAY]
  return relative.format(Math.sign(distance) * Math.max(1, Math.round(amount / length)), unit)
}

/** A duration: `2m 5s`, `840 ms`, `1h 3m`. */
export const formatDuration = (milliseconds: number): string => {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 ? `${minutes}m ${seconds % 60}s` : `${minutes}m`
  return minutes % 60
    ? `${Math.floor(minutes / 60)}h ${minutes % 60}m`
    : `${Math.floor(minutes / 60)}h`
}
