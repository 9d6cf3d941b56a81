// Links to the other pages of one of several lists on a page.
import { PageSteps } from '../../components/index.ts'
import { pageNumber } from '../../page-number.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'

/** `name` has the number of the page in the address `here`. */
export const ListSteps = ({
  visit,
  here,
  list,
  name = 'page',
  label,
}: {
  visit: Visit
  here: string
  list: { readonly next: string | null } | null
  name?: string
  label: string
}) => (
  <PageSteps
    page={pageNumber(visit, name)}
    hasNext={(list?.next ?? null) !== null}
    href={(page) => withQuery(here, { [name]: page > 1 ? page : undefined })}
    label={label}
  />
)
