/** The queries of the Explore page, run on a reader thread. */
import type { DatabaseHandle } from '#core/db.ts'
import { NO_FILTERS } from './no-filters.ts'
import type { SearchScope } from './find-request.ts'
import {
  listExploreChoices,
  listExploreRows,
  repoConditions,
  type ExploreFilter,
  type ExploreOrder,
} from './store-queries.ts'

const MAX_CHOICES = 12

export type ExploreRequest = {
  readonly scope: SearchScope
  readonly filter: ExploreFilter
  readonly order: ExploreOrder
  readonly limit: number
  readonly offset: number
}

export function explore(
  db: DatabaseHandle,
  { scope, filter, order, limit, offset }: ExploreRequest,
) {
  const repos = repoConditions('repositories', scope, { ...NO_FILTERS, archived: true })
  return {
    ...listExploreRows(db, repos, filter, order, { limit, offset }),
    ...listExploreChoices(db, repos, MAX_CHOICES),
  }
}
