/** Dates as git shows them (date.c). */
import type { Signature } from '../ports.ts'

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const
const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')
const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** A date in the zone of the signature (git's `show_date`). */
export function formatDate(kind: string, { time, zone }: Signature): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5))
  const shifted = time + (zone.startsWith('-') ? -minutes : minutes) * 60
  const date = new Date(shifted * 1000)
  const clock = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    .map(twoDigits)
    .join(':') // prettier-ignore
  const year = date.getUTCFullYear()
  const day = `${year}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`
  const weekday = DAYS[date.getUTCDay()]
  const month = MONTHS[date.getUTCMonth()]
  switch (kind) {
    case 's':
      return day
    case 'i':
      return `${day} ${clock} ${zone}`
    // Git writes +00:00 for Z before version 2.45.
    case 'I':
      return `${day}T${clock}${minutes === 0 ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`}`
    case 'D':
      return `${weekday}, ${date.getUTCDate()} ${month} ${year} ${clock} ${zone}`
    default:
      return `${weekday} ${month} ${date.getUTCDate()} ${clock} ${year} ${zone}`
  }
}

const MINUTE = 60
const HOUR = 60

const ago = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'} ago`

/** `show_date_relative`, with its roundings. */
export function formatRelativeDate(time: number, now: number): string {
  if (now < time) return 'in the future'
  const seconds = now - time
  if (seconds < 90) return ago(seconds, 'second')
  const minutes = Math.floor((seconds + 30) / MINUTE)
  if (minutes < 90) return ago(minutes, 'minute')
  const hours = Math.floor((minutes + 30) / HOUR)
  if (hours < 36) return ago(hours, 'hour')
  const days = Math.floor((hours + 12) / 24)
  if (days < 14) return ago(days, 'day')
  if (days < 70) return ago(Math.floor((days + 3) / 7), 'week')
  if (days < 365) return ago(Math.floor((days + 15) / 30), 'month')
  if (days >= 5 * 365) return ago(Math.floor((days + 183) / 365), 'year')
  const totalMonths = Math.floor((days * 12 * 2 + 365) / (365 * 2))
  const [years, months] = [Math.floor(totalMonths / 12), totalMonths % 12]
  if (months === 0) return ago(years, 'year')
  return `${years} year${years === 1 ? '' : 's'}, ${ago(months, 'month')}`
}

/** `show_date_normal` for `human`, as on a server in UTC: less detail the older a date is. */
export function formatHumanDate({ time, zone }: Signature, now: number): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3, 5))
  const date = new Date((time + (zone.startsWith('-') ? -minutes : minutes) * 60) * 1000)
  const today = new Date(now * 1000)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  const isThisYear = year === today.getUTCFullYear()
  const isThisMonth = isThisYear && month === today.getUTCMonth()
  if (isThisMonth && day === today.getUTCDate()) return formatRelativeDate(time, now)
  const isThisWeek = isThisMonth && day < today.getUTCDate() && day + 5 > today.getUTCDate()
  const clock = `${twoDigits(date.getUTCHours())}:${twoDigits(date.getUTCMinutes())}`
  const parts = [
    isThisYear ? DAYS[date.getUTCDay()] : '',
    isThisWeek ? '' : `${MONTHS[month]} ${day}`,
    isThisYear ? clock : '',
    isThisYear ? '' : `${year}`,
    isThisWeek && minutes !== 0 ? zone : '',
  ]
  return parts.filter((part) => part !== '').join(' ')
}
