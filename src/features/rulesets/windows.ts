/** Merge windows: weekly windows at a fixed offset from UTC, without freezes. */
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

/** `09:30` in minutes of the day; `24:00` is its end. Null for an invalid time. */
export function minutesOf(text: string): number | null {
  const [, hours = '', minutes = ''] = /^([0-2][0-9]):([0-5][0-9])$/.exec(text) ?? []
  if (hours === '') return null
  const at = Number(hours) * 60 + Number(minutes)
  return at > 24 * 60 ? null : at
}

/** `+05:30` in minutes; null for an invalid offset. */
export function offsetOf(text: string): number | null {
  const [, sign = '', hours = '', minutes = ''] =
    /^([+-])([01][0-9]):([0-5][0-9])$/.exec(text) ?? []
  if (sign === '') return null
  const at = Number(hours) * 60 + Number(minutes)
  return at > 14 * 60 ? null : sign === '-' ? -at : at
}

const DATE_PATTERN = /^\d{4}-\d{2}-\d{2}$/
const LOCAL_TIME_PATTERN = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/

/**
 * A time of a freeze in milliseconds: RFC 3339, or a date or time in the offset of the rule. A date
 * at the end includes that day.
 */
export function momentOf(text: string, offset: number, which: 'start' | 'end'): number | null {
  if (/(?:[zZ]|[+-]\d{2}:\d{2})$/.test(text) && /^\d{4}-\d{2}-\d{2}[tT ]/.test(text)) {
    const at = Date.parse(text.toUpperCase().replace(' ', 'T'))
    return Number.isNaN(at) ? null : at
  }
  if (!DATE_PATTERN.test(text) && !LOCAL_TIME_PATTERN.test(text)) return null
  const at = Date.parse(DATE_PATTERN.test(text) ? `${text}T00:00:00Z` : `${text}Z`)
  if (Number.isNaN(at)) return null
  return at - offset * MINUTE + (DATE_PATTERN.test(text) && which === 'end' ? DAY : 0)
}

type Span = { readonly from: number; readonly to: number }

/**
 * The spans of all windows that start in `count` days, from the day before `now`. Times are in the
 * offset of the rule.
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

export type WindowState = {
  readonly open: boolean
  /**
   * When the window opens next, in milliseconds; null when it is open or does not open within a
   * year.
   */
  readonly opens_at: number | null
  /** The freeze that is the cause, if any. */
  readonly freeze: Freeze | null
}

/** Days searched for the next opening: usually it is within days, so a short search comes first. */
const SEARCHED_DAYS = [9, 370]

/** Whether merging is allowed at a moment, and else when it will be. */
export function openingAt(rule: MergeWindow, now: number): WindowState {
  const offset = offsetOf(rule.time_zone) ?? 0
  const freezes = rule.freezes.flatMap((freeze) => {
    const from = momentOf(freeze.start, offset, 'start')
    const to = momentOf(freeze.end, offset, 'end')
    return from === null || to === null ? [] : [{ from, to, freeze }]
  })
  const frozen = freezes.find(({ from, to }) => now >= from && now < to)
  const shift = offset * MINUTE
  for (const days of SEARCHED_DAYS) {
    const spans = spansOf(rule, now + shift, days).map(({ from, to }) => ({
      from: from - shift,
      to: to - shift,
    }))
    const inside = (at: number): boolean =>
      rule.windows.length === 0 || spans.some(({ from, to }) => at >= from && at < to)
    if (!frozen && inside(now)) return { open: true, opens_at: null, freeze: null }
    // Merging can become allowed only at the start of a window or the end of a freeze.
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
