// Lists whose rows have forms: the form of one row is shown at the address with its id, so that a page
// has one and not as many as rows.
import { firstItems, PageSteps, TextBeginning } from '../components/index.ts'
import type { Child } from '../jsx/html.ts'
import { pageNumber } from '../page-number.ts'
import { withQuery } from '../paths.ts'
import type { Visit } from '../site.ts'

/** The rows of one page of a list, which `name` counts in the address. */
export type ListPage<T> = {
  readonly items: readonly T[]
  readonly page: number
  readonly hasNext: boolean
}

/** The page of a list that the address names; the last one when the list is shorter. */
export function pageOfRows<T>(
  visit: Visit,
  rows: readonly T[],
  perPage: number,
  name = 'page',
): ListPage<T> {
  const last = Math.max(1, Math.ceil(rows.length / perPage))
  const page = Math.min(pageNumber(visit, name), last)
  return {
    items: rows.slice((page - 1) * perPage, page * perPage),
    page,
    hasNext: page < last,
  }
}

/** How many rows a page has at most, and what their HTML may take, as estimated. */
export type RowLimits<T> = {
  readonly perPage: number
  readonly maxBytes: number
  readonly bytesOf: (row: T) => number
}

/** The same for rows of which some are heavy: a page of these has fewer. */
export function pageOfHeavyRows<T>(
  visit: Visit,
  rows: readonly T[],
  { perPage, maxBytes, bytesOf }: RowLimits<T>,
  name = 'page',
): ListPage<T> {
  const wanted = pageNumber(visit, name)
  for (let page = 1, from = 0; ; page++) {
    const items = firstItems(rows.slice(from, from + perPage), maxBytes, bytesOf)
    const hasNext = from + items.length < rows.length
    if (page === wanted || !hasNext) return { items, page, hasNext }
    from += items.length
  }
}

/**
 * Loads the page of a list that the address names. When nothing is on it, as after its last row was deleted,
 * the page before it, else the first.
 */
export async function loadPage<L extends { readonly items: readonly unknown[] }>(
  visit: Visit,
  load: (page: number) => Promise<L>,
  name = 'page',
): Promise<Omit<L, 'next'> & { readonly page: number; readonly hasNext: boolean }> {
  const asked = pageNumber(visit, name)
  for (const page of new Set([asked, Math.max(1, asked - 1), 1])) {
    const { next, ...list } = { next: null, ...(await load(page)) }
    if (list.items.length > 0 || page === 1) return { ...list, page, hasNext: next !== null }
  }
  throw new Error('the first page ends the loop')
}

/** An address that stays on the pages of its lists, which `names` count. */
export const onSamePage = (visit: Visit, path: string, ...names: readonly string[]): string =>
  withQuery(
    path,
    Object.fromEntries(
      names.map((name) => {
        const page = pageNumber(visit, name)
        return [name, page > 1 ? page : undefined]
      }),
    ),
  )

/** Links to the pages beside one. `here` is the address without the number. */
export const RowSteps = ({
  list,
  here,
  name = 'page',
  label,
}: {
  list: ListPage<unknown>
  here: string
  name?: string
  label: string
}) => (
  <PageSteps
    page={list.page}
    hasNext={list.hasNext}
    href={(page) => withQuery(here, { [name]: page > 1 ? page : undefined })}
    label={label}
  />
)

/** The parameter with the id of the row that is shown with all of its texts. */
const WHOLE = 'whole'

/** Whether the address asks for all of the texts of a row. */
export const isWholeRow = ({ url }: Visit, id: string): boolean =>
  url.searchParams.get(WHOLE) === id

/**
 * The address that shows a row of the list at `here` with all of its texts. `anchor` is the id on the
 * page.
 */
export const wholeRowHref = (here: string, id: string, anchor = id): string =>
  `${withQuery(here, { [WHOLE]: id })}#${anchor}`

/** A text of a row: its beginning, or all of it when the address asks for the row. */
export const RowText = ({
  visit,
  id,
  here,
  anchor = id,
  text,
  maxBytes,
}: {
  visit: Visit
  id: string
  /** The address of the list. */
  here: string
  /** The id of the row on the page. */
  anchor?: string
  text: string
  maxBytes: number
}) =>
  isWholeRow(visit, id) ? (
    <>{text}</>
  ) : (
    <TextBeginning text={text} maxBytes={maxBytes} href={wholeRowHref(here, id, anchor)} />
  )

/**
 * The form of a row, or the link to it. `refused` is the id of the row whose form was refused, and
 * `here` the address of the list.
 */
export const RowForm = ({
  visit,
  id,
  refused,
  here,
  label,
  children,
}: {
  visit: Visit
  id: string
  refused: string | null
  here: string
  label: Child
  children: () => Child
}) =>
  (refused ?? visit.url.searchParams.get('edit')) === id ? (
    <details class="more" id={id} open>
      <summary>{label}</summary>
      {children()}
    </details>
  ) : (
    <p class="more">
      <a href={`${withQuery(here, { edit: id })}#${id}`}>{label}</a>
    </p>
  )
