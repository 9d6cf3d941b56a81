// Lists whose rows have forms: the form of one row is shown at the address with its id, so that a page
// has one and not as many as rows.
import { PageSteps } from '../components/index.ts'
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
