// What a picker offers: the first of a list, or those that its search has found.
import { firstItems, type PickerSearch } from '../components/index.ts'
import { FIND_FIELD, findFieldOf } from '../picker-search.ts'
import type { Visit } from '../site.ts'

/** A picker has at most so many options at once, so that pages with several of them stay small. */
export const MAX_OPTIONS = 12
const MAX_SEARCH_LENGTH = 100

export type Choices<T> = PickerSearch & { readonly items: readonly T[] }

/** The choices of a picker that a page does not have. */
export const noChoices = { key: '', q: null, hasMore: false, items: [] } satisfies Choices<never>

/** What is searched for in a picker. Null when its search was not sent. */
function searchOf(visit: Visit, key: string): string | null {
  const { values } = visit.form
  const query = visit.url.searchParams
  const typed =
    values.text(FIND_FIELD) === key
      ? values.text(findFieldOf(key))
      : query.get(FIND_FIELD) === key
        ? query.get(findFieldOf(key))
        : null
  return typed === null ? null : typed.trim().slice(0, MAX_SEARCH_LENGTH)
}

type ListPage = { readonly q: string; readonly per_page: number }

/** Loads the choices of the picker with this key. `list` is asked for one more than is shown. */
export async function findChoices<T>(
  visit: Visit,
  key: string,
  list: (page: ListPage) => Promise<{ readonly items: readonly T[] }>,
): Promise<Choices<T>> {
  const q = searchOf(visit, key)
  const { items } = await list({ q: q ?? '', per_page: MAX_OPTIONS + 1 })
  return { key, q, items: items.slice(0, MAX_OPTIONS), hasMore: items.length > MAX_OPTIONS }
}

/** Fewer of the first choices, where these are heavy. What was searched for stays. */
export function choicesWithin<T>(
  found: Choices<T>,
  maxBytes: number,
  bytesOf: (item: T) => number,
): Choices<T> {
  if (found.q !== null) return found
  const items = firstItems(found.items, maxBytes, bytesOf)
  return { ...found, items, hasMore: found.hasMore || items.length < found.items.length }
}

/** The choices of another picker of the same list, which is loaded again when one of both is searched. */
export const shareChoices = async <T>(
  visit: Visit,
  key: string,
  other: Choices<T>,
  list: (page: ListPage) => Promise<{ readonly items: readonly T[] }>,
): Promise<Choices<T>> =>
  searchOf(visit, key) === null && other.q === null
    ? { ...other, key }
    : findChoices(visit, key, list)
