/** The list of repositories with what it can be narrowed by, on a thread that only reads. */
import type { DatabaseHandle } from '#core/db.ts'
import { everywhere } from './everywhere.ts'
import type { Scope } from './request.ts'
import {
  exploreChoices,
  exploreRows,
  repoConditions,
  type ExploreFilter,
  type ExploreOrder,
} from './store-find.ts'

const MOST_CHOICES = 12

export type ExploreRequest = {
  readonly scope: Scope
  readonly filter: ExploreFilter
  readonly order: ExploreOrder
  readonly limit: number
  readonly offset: number
}

export function explore(
  db: DatabaseHandle,
  { scope, filter, order, limit, offset }: ExploreRequest,
) {
  const repos = repoConditions('repositories', scope, { ...everywhere, archived: true })
  return {
    ...exploreRows(db, repos, filter, order, { limit, offset }),
    ...exploreChoices(db, repos, MOST_CHOICES),
  }
}
