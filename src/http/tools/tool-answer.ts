/**
 * Shortens tool outputs to fit a model's context. Long bodies in lists are cut, and callers may
 * choose fields. An output that is still too long loses whole records at its end, and says how to
 * continue.
 */
import { isObject } from '#lib/json-value.ts'
import { invalid } from '#lib/errors.ts'

export const DEFAULT_MAX_CHARS = 25_000
const MAX_LISTED_BODY_CHARS = 300

type Json = Record<string, unknown>
/** Never cuts inside a surrogate pair. */
export function cutText(text: string, length: number): string {
  const end = length > 0 && /[\ud800-\udbff]/.test(text[length - 1] ?? '') ? length - 1 : length
  return text.slice(0, end)
}

/** One item of a list: the chosen fields, or all with a shortened body. */
export function listItem(item: unknown, fields: readonly string[] | null): unknown {
  if (!isObject(item)) return item
  const chosen: Json =
    fields === null
      ? { ...item }
      : Object.fromEntries(fields.filter((name) => name in item).map((name) => [name, item[name]]))
  const { body } = chosen
  if (fields === null && typeof body === 'string' && body.length > MAX_LISTED_BODY_CHARS) {
    chosen.body = cutText(body, MAX_LISTED_BODY_CHARS)
    chosen.body_truncated = true
  }
  return chosen
}

/** Throws 422 for a field that items do not have. */
export function checkFields(fields: readonly string[], known: ReadonlySet<string> | null): void {
  const unknown = known === null ? undefined : fields.find((name) => !known.has(name))
  if (unknown !== undefined)
    throw invalid(
      'fields',
      `items have no field ${JSON.stringify(unknown.slice(0, 60))}; they have ${[...(known ?? [])].join(', ')}`,
    )
}

/** Whether a JSON pointer (RFC 6901) leads to something. */
export function pointsInto(value: unknown, pointer: string): boolean {
  let here = value
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return false
    here = (here as Json)[key]
  }
  return true
}

/**
 * The cursor for the rest of a list of which `fitting` items fit. It may reduce their number, to
 * that of a page. The cursor is null if there is none.
 */
export type Continue = (
  fitting: number,
  items: readonly unknown[],
) => { count: number; next: string | null }

/**
 * Continues a list with numbered pages: the cursor `PxN` is page P of pages of N, chosen so that
 * nothing is skipped.
 */
export const byPageNumber =
  (page: number, size: number): Continue =>
  (fitting) => {
    const offset = (page - 1) * size
    let count = Math.max(1, fitting)
    while (offset % count !== 0) count--
    return { count, next: `${offset / count + 2}x${count}` }
  }

/** Continues a list paged by key after the last item that fits. */
export const byKey =
  (key: string): Continue =>
  (fitting, items) => {
    const last = items[fitting - 1]
    const value = isObject(last) ? last[key] : undefined
    return { count: fitting, next: value === undefined || value === null ? null : String(value) }
  }

const sizeOf = (value: unknown): number => (JSON.stringify(value) ?? '').length

/** The output cut to `maxChars`; the same object if it fits. */
export function cutAnswer(value: Json, maxChars: number, continueList: Continue | null): Json {
  if (sizeOf(value) <= maxChars) return value
  // Leaves space for the fields that are added below.
  const room = maxChars - 120
  const copy: Json = structuredClone(value)
  let next: string | null = typeof value.next === 'string' ? value.next : null
  for (const [name, array] of mainArrays(copy)) {
    if (continueList === null || array.length < 2) continue
    const others = sizeOf({ ...copy, [name]: [] })
    let used = others
    let fits = 0
    for (const item of array) {
      used += sizeOf(item) + 1
      if (used > room) break
      fits++
    }
    if (fits >= array.length) break
    const end = continueList(Math.max(1, fits), array)
    copy[name] = array.slice(0, end.count)
    next = end.next
    break
  }
  for (let round = 0; round < 100; round++) {
    const excess = sizeOf(copy) - room
    if (excess <= 0) break
    if (!shorten(copy, excess)) break
  }
  return { ...copy, truncated: true, next }
}

/** The arrays of records on top, the one that pages go through first. */
const mainArrays = (value: Json): [string, unknown[]][] =>
  Object.entries(value)
    .filter(
      (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && !entry[0].startsWith('_'),
    )
    .sort(
      ([a, left], [b, right]) =>
        Number(b === 'items') - Number(a === 'items') || sizeOf(right) - sizeOf(left),
    )
    .slice(0, 1)

/**
 * Removes about `excess` characters from the largest part, records before text. Returns false if
 * nothing is left to remove.
 */
function shorten(holder: Json | unknown[], excess: number): boolean {
  const keys = Array.isArray(holder) ? holder.map((_, index) => index) : Object.keys(holder)
  const sized = keys
    .map((key) => ({ key, size: sizeOf((holder as Json)[key]) }))
    .sort((a, b) => b.size - a.size)
  for (const { key } of sized) {
    const value = (holder as Json)[key]
    if (Array.isArray(value) && value.length > 1) {
      let taken = 0
      while (value.length > 1 && taken < excess) taken += sizeOf(value.pop()) + 1
      return true
    }
    if (typeof value === 'object' && value !== null && shorten(value as Json, excess)) return true
    if (typeof value === 'string' && value.length > 200) {
      const cut = cutText(value, Math.max(100, value.length - excess - 20))
      const hunk = cut.startsWith('--- ') ? cut.lastIndexOf('\n@@ ') : -1
      const line = hunk > 0 ? hunk : cut.lastIndexOf('\n')
      ;(holder as Json)[key] = line > cut.length / 2 ? cut.slice(0, line + 1) : cut
      return true
    }
  }
  return false
}
