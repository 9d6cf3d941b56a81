/**
 * When merging is allowed by one rule: windows of the week in one offset from UTC, without its
 * freezes.
 */
import { DAY, MINUTE } from '#lib/time.ts'

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Day = (typeof DAYS)[number]

export type Window = { readonly days: readonly Day[]; readonly start: string; readonly end: string }
export type Freeze = { readonly start: string; readonly end: string; readonly reason: string }
export type MergeWindow = {
  readonly time_zone: string
  readonly windows: readonly Window[]
  readonly freezes: readonly Freeze[]
}

/** `09:30` as minutes of the day; `24:00` is its end. Null for anything else. */
export function minutesOf(text: string): number | null {
  const [, hours = '', minutes = ''] = /^([0-2][0-9]):([0-5][0-9])$/.exec(text) ?? []
  if (hours === '') return null
  const at = Number(hours) * 60 + Number(minutes)
  return at > 24 * 60 ? null : at
}

/** `+05:30` as minutes; null for what is no offset. */
export function offsetOf(text: string): number | null {
  const [, sign = '', hours = '', minutes = ''] =
    /^([+-])([01][0-9]):([0-5][0-9])$/.exec(text) ?? []
  if (sign === '') return null
  const at = Number(hours) * 60 + Number(minutes)
  return at > 14 * 60 ? null : sign === '-' ? -at : at
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const LOCAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/

/**
 * A moment of a freeze in milliseconds: RFC 3339, or a date or a time of the rule's own offset; a
 * date that ends one means all of that day.
 */
export function momentOf(text: string, offset: number, which: 'start' | 'end'): number | null {
  if (/(?:[zZ]|[+-]\d{2}:\d{2})$/.test(text) && /^\d{4}-\d{2}-\d{2}[tT ]/.test(text)) {
    const at = Date.parse(text.toUpperCase().replace(' ', 'T'))
    return Number.isNaN(at) ? null : at
  }
  if (!DATE.test(text) && !LOCAL.test(text)) return null
  const at = Date.parse(DATE.test(text) ? `${text}T00:00:00Z` : `${text}Z`)
  if (Number.isNaN(at)) return null
  return at - offset * MINUTE + (DATE.test(text) && which === 'end' ? DAY : 0)
}

type Span = { readonly from: number; readonly to: number }

/**
 * The spans of all windows that begin on one of `count` days from the one before `now`. Times are
 * of the rule's own offset.
 */
function spansOf({ windows }: MergeWindow, local_now: number, count: number): Span[] {
  const first = Math.floor(local_now / DAY) - 1
  const parts = windows.flatMap(({ days, start, end }) => {
    const from = minutesOf(start)
    const to = minutesOf(end)
    return from === null || to === null
      ? []
      : [{ days: new Set<string>(days), from, to: to > from ? to : to + 24 * 60 }]
  })
  const spans: Span[] = []
  for (let day = first; day < first + count; day++) {
    // The first day of 1970 was a Thursday.
    const name = DAYS[(((day + 3) % 7) + 7) % 7] ?? ''
    for (const { days, from, to } of parts)
      if (days.has(name))
        spans.push({ from: day * DAY + from * MINUTE, to: day * DAY + to * MINUTE })
  }
  return spans
}

export type Opening = {
  readonly open: boolean
  /** When it opens next, in milliseconds; null when it is open, or does not open within a year. */
  readonly opens_at: number | null
  /** The freeze that keeps it shut, if that is why. */
  readonly freeze: Freeze | null
}

/** How far ahead the next opening is looked for; mostly it is in the coming days. */
const DAYS_AHEAD = [9, 370]

/** Whether merging is allowed at a moment, and if not, when it will be. */
export function openingAt(rule: MergeWindow, now: number): Opening {
  const offset = offsetOf(rule.time_zone) ?? 0
  const freezes = rule.freezes.flatMap((freeze) => {
    const from = momentOf(freeze.start, offset, 'start')
    const to = momentOf(freeze.end, offset, 'end')
    return from === null || to === null ? [] : [{ from, to, freeze }]
  })
  const frozen = freezes.find(({ from, to }) => now >= from && now < to)
  const shift = offset * MINUTE
  for (const days of DAYS_AHEAD) {
    const spans = spansOf(rule, now + shift, days).map(({ from, to }) => ({
      from: from - shift,
      to: to - shift,
    }))
    const inside = (at: number): boolean =>
      rule.windows.length === 0 || spans.some(({ from, to }) => at >= from && at < to)
    if (!frozen && inside(now)) return { open: true, opens_at: null, freeze: null }
    // It can open only where a window begins or a freeze ends.
    const moments = [...spans.map(({ from }) => from), ...freezes.map(({ to }) => to)]
      .filter((at) => at > now)
      .sort((a, b) => a - b)
    const next = moments.find(
      (at) => inside(at) && !freezes.some(({ from, to }) => at >= from && at < to),
    )
    if (next !== undefined) return { open: false, opens_at: next, freeze: frozen?.freeze ?? null }
  }
  return { open: false, opens_at: null, freeze: frozen?.freeze ?? null }
}
