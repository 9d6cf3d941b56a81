/**
 * Pages of lists. By number (`page`, `per_page`) for lists that people leaf through, by key
 * (`before` an id, `after` a sequence number) for those that grow while they are read. Tools pass
 * `cursor` back, which stands for either.
 */
import { invalid, notFound } from '#lib/errors.ts'
import { isTypeId, PREFIXES, type Prefix } from '#lib/typeid.ts'
import { Type, type ListOf } from './schema.ts'

export type Paging = 'page' | 'before' | 'after'

type Sizes = { size?: number; max?: number }

const perPage = ({ size = 30, max = 100 }: Sizes) =>
  Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `How many items, ${size} unless given, ${max} at most.`,
      'x-default': size,
      'x-max': max,
    }),
  )
const cursor = Type.Optional(
  Type.String({
    maxLength: 200,
    description: 'The `next` of the answer before.',
    'x-tool-only': true,
  }),
)

/** Inputs of a list with numbered pages. */
export const byPage = (sizes: Sizes = {}) => ({
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'The page, from 1.' })),
  per_page: perPage(sizes),
  cursor,
})

/** Inputs of a list that goes back from an id. */
export const byBefore = (sizes: Sizes = {}) => ({
  before: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only items strictly older than the one with this id.',
    }),
  ),
  per_page: perPage(sizes),
  cursor,
})

/** Inputs of a list that goes on from a sequence number. */
export const byAfter = (sizes: Sizes = {}) => ({
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only items with a greater sequence number.' }),
  ),
  per_page: perPage(sizes),
  cursor,
})

export type PageInput = { page?: number; per_page?: number; cursor?: string }
export type Window = { limit: number; offset: number; page: number }

const size = (wanted: number | undefined, { size: usual = 30, max = 100 }: Sizes): number =>
  Math.min(wanted ?? usual, max)

/** The rows to ask for. A cursor is the number of a page. */
export function windowOf(input: PageInput, sizes: Sizes = {}): Window {
  const limit = size(input.per_page, sizes)
  const page = input.cursor === undefined ? (input.page ?? 1) : Number(input.cursor)
  if (!Number.isSafeInteger(page) || page < 1 || page > 1_000_000_000)
    throw invalid(
      input.cursor === undefined ? 'page' : 'cursor',
      'this page number is not one that a list gave',
    )
  return { limit, offset: (page - 1) * limit, page }
}

/** Makes the answer from one row more than fits (`limit + 1` asked for), or from a known total. */
export function pageOf<T>(rows: T[], window: Window, total?: number): ListOf<T> {
  const items = rows.slice(0, window.limit)
  const more =
    total === undefined ? rows.length > window.limit : window.offset + items.length < total
  return {
    items,
    next: more ? String(window.page + 1) : null,
    ...(total === undefined ? {} : { total }),
  }
}

/**
 * Where key paging starts: the id to go back from, null for the newest, and how many. Gives 404 for
 * an id that nothing of this prefix can have, and 422 for a cursor that no list gave.
 */
export function beforeOf(
  input: { before?: string; per_page?: number; cursor?: string },
  prefix: Prefix,
  sizes: Sizes = {},
): { before: string | null; limit: number } {
  // Any text could be compared with ids, and would then answer a page that has nothing to do with
  // it.
  if (input.cursor !== undefined) {
    if (!isTypeId(input.cursor, prefix))
      throw invalid('cursor', 'this is not a cursor that a list gave')
  } else if (input.before !== undefined && !isTypeId(input.before, prefix))
    throw notFound(`the ${PREFIXES[prefix]} ${input.before}`)
  return { before: input.cursor ?? input.before ?? null, limit: size(input.per_page, sizes) }
}

export function afterOf(
  input: { after?: number; per_page?: number; cursor?: string },
  sizes: Sizes = {},
): { after: number; limit: number } {
  const after = input.cursor === undefined ? (input.after ?? 0) : Number(input.cursor)
  if (!Number.isSafeInteger(after) || after < 0)
    throw invalid('cursor', 'this is not a cursor that a list gave')
  return { after, limit: size(input.per_page, sizes) }
}

/** Makes the answer of a key-paged list from `limit + 1` rows. */
export function keyPageOf<T>(
  rows: T[],
  limit: number,
  key: (item: T) => string | number,
): ListOf<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? String(key(last)) : null }
}
