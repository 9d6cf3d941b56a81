/**
 * Pages of lists. Lists for browsing have numbered pages (`page`, `per_page`). Lists that grow while
 * they are read have keys (`before` an id, `after` a sequence number). Tools use `cursor` for both.
 */
import { invalid, notFound } from '#lib/errors.ts'
import { isTypeId, PREFIXES, type Prefix } from './ids.ts'
import { Type, type ListOf } from './schema.ts'

export type Paging = 'page' | 'before' | 'after'

/** The default and the maximum of `per_page`. */
type PageSizes = { size?: number; max?: number }

const perPage = ({ size = 30, max = 100 }: PageSizes) =>
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
export const byPage = (sizes: PageSizes = {}) => ({
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'The page, from 1.' })),
  per_page: perPage(sizes),
  cursor,
})

/** Inputs of a list that goes back from an id. */
export const byBefore = (sizes: PageSizes = {}) => ({
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
export const byAfter = (sizes: PageSizes = {}) => ({
  after: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Only items with a greater sequence number.' }),
  ),
  per_page: perPage(sizes),
  cursor,
})

export type PageInput = { page?: number; per_page?: number; cursor?: string }
export type Window = { limit: number; offset: number; page: number }

const limitOf = (requested: number | undefined, { size = 30, max = 100 }: PageSizes): number =>
  Math.min(requested ?? size, max)

/** The rows to query. A cursor is the number of a page. */
export function windowOf(input: PageInput, sizes: PageSizes = {}): Window {
  const limit = limitOf(input.per_page, sizes)
  const page = input.cursor === undefined ? (input.page ?? 1) : Number(input.cursor)
  if (!Number.isSafeInteger(page) || page < 1 || page > 1_000_000_000)
    throw invalid(
      input.cursor === undefined ? 'page' : 'cursor',
      'this page number is not one that a list gave',
    )
  return { limit, offset: (page - 1) * limit, page }
}

/** Builds a page from `limit + 1` queried rows, or from a known total. */
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
 * The start of a page by key: the id to go back from (null for the newest), and the limit. Throws
 * 404 for an id with another prefix, and 422 for a cursor that no list returned.
 */
export function beforeOf(
  input: { before?: string; per_page?: number; cursor?: string },
  prefix: Prefix,
  sizes: PageSizes = {},
): { before: string | null; limit: number } {
  // Any text compares with ids, so an invalid one would return a meaningless page.
  if (input.cursor !== undefined) {
    if (!isTypeId(input.cursor, prefix))
      throw invalid('cursor', 'this is not a cursor that a list gave')
  } else if (input.before !== undefined && !isTypeId(input.before, prefix))
    throw notFound(`the ${PREFIXES[prefix]} ${input.before}`)
  return { before: input.cursor ?? input.before ?? null, limit: limitOf(input.per_page, sizes) }
}

export function afterOf(
  input: { after?: number; per_page?: number; cursor?: string },
  sizes: PageSizes = {},
): { after: number; limit: number } {
  const after = input.cursor === undefined ? (input.after ?? 0) : Number(input.cursor)
  if (!Number.isSafeInteger(after) || after < 0)
    throw invalid('cursor', 'this is not a cursor that a list gave')
  return { after, limit: limitOf(input.per_page, sizes) }
}

/** Builds a page by key from `limit + 1` queried rows. */
export function keyPageOf<T>(
  rows: T[],
  limit: number,
  key: (item: T) => string | number,
): ListOf<T> {
  const items = rows.slice(0, limit)
  const last = items.at(-1)
  return { items, next: rows.length > limit && last !== undefined ? String(key(last)) : null }
}
