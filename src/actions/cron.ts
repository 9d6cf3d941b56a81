/** Schedules of five fields, as POSIX crontab and GitHub write them. */

type Field = { readonly min: number; readonly max: number; readonly names: readonly string[] }

const FIELDS: readonly Field[] = [
  { min: 0, max: 59, names: [] },
  { min: 0, max: 23, names: [] },
  { min: 1, max: 31, names: [] },
  {
    min: 1,
    max: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { min: 0, max: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
]

export function isValidCron(text: string): boolean {
  const parts = text.trim().split(/\s+/)
  return (
    text.length <= 200 &&
    parts.length === FIELDS.length &&
    FIELDS.every((field, index) => parts[index]?.split(',').every((part) => isPart(part, field)))
  )
}

/** `5`, `MON`, `*`, `1-5`, each also with a step of `/15`. */
function isPart(part: string, field: Field): boolean {
  const [range = '', step, ...more] = part.split('/')
  if (more.length > 0) return false
  if (step !== undefined && !(/^\d{1,3}$/.test(step) && Number(step) > 0)) return false
  if (range === '*') return true
  const ends = range.split('-').map((end) => numberOf(end, field))
  const [from, to] = ends
  if (from === undefined || from === null || ends.length > 2) return false
  return ends.length === 1 || (to !== undefined && to !== null && to >= from)
}

function numberOf(text: string, { min, max, names }: Field): number | null {
  const named = names.indexOf(text.toLowerCase())
  if (named >= 0) return named + min
  if (!/^\d{1,3}$/.test(text)) return null
  const number = Number(text)
  // Sunday is 0 and 7.
  return number >= min && (number <= max || (max === 6 && number === 7)) ? number : null
}

/** The numbers that one field allows. Sunday is 0. */
function numbersOf(text: string, field: Field): Set<number> {
  const numbers = new Set<number>()
  for (const part of text.split(',')) {
    const [range = '', step] = part.split('/')
    const [first, last] =
      range === '*'
        ? [field.min, field.max]
        : range.split('-').map((end) => numberOf(end, field) ?? field.min)
    const from = first ?? field.min
    // `5/15` goes on from 5 to the end of the field.
    const to = last ?? (step === undefined ? from : field.max)
    for (let number = from; number <= to; number += Number(step ?? 1))
      numbers.add(field.max === 6 ? number % 7 : number)
  }
  return numbers
}

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** A leap day that falls on a weekday comes within 40 years. */
const MAX_DAYS = 40 * 366

/**
 * The first minute after a time (both in milliseconds) that a valid schedule names, in UTC; null
 * when there is none, such as for 30 February.
 */
export function nextCronTime(text: string, after: number): number | null {
  const parts = text.trim().split(/\s+/)
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) =>
    numbersOf(parts[index] ?? '*', field),
  )
  if (!minutes || !hours || !days || !months || !weekdays) return null
  // When both are restricted, either of them is enough (POSIX crontab).
  const both = !parts[2]?.startsWith('*') && !parts[4]?.startsWith('*')
  const isDay = (date: Date): boolean => {
    if (!months.has(date.getUTCMonth() + 1)) return false
    const byDay = days.has(date.getUTCDate())
    const byWeekday = weekdays.has(date.getUTCDay())
    return both ? byDay || byWeekday : byDay && byWeekday
  }
  const first = Math.floor(after / DAY_MS) * DAY_MS
  for (let day = first; day < first + MAX_DAYS * DAY_MS; day += DAY_MS) {
    if (!isDay(new Date(day))) continue
    for (const hour of [...hours].sort((a, b) => a - b))
      for (const minute of [...minutes].sort((a, b) => a - b)) {
        const time = day + (hour * 60 + minute) * MINUTE_MS
        if (time > after) return time
      }
  }
  return null
}
