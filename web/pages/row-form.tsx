// Lists whose rows have forms: the form of one row is shown at the address with its id, so that a page
// has one and not as many as rows.
import { PageSteps } from '../components/index.ts'
import type { Child } from '../jsx/html.ts'
import { pageNumber } from '../page-number.ts'
import { withQuery } from '../paths.ts'
import type { Visit } from '../site.ts'
import { rich } from '../text.ts'

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
  name,
  children,
}: {
  visit: Visit
  id: string
  refused: string | null
  here: string
  name: string
  children: () => Child
}) => {
  const label = rich('Edit {name}', { name })
  return (refused ?? visit.url.searchParams.get('edit')) === id ? (
    <details class="more" id={id} open>
      <summary>{label}</summary>
      {children()}
    </details>
  ) : (
    <p class="more">
      <a href={`${withQuery(here, { edit: id })}#${id}`}>{label}</a>
    </p>
  )
}
