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
