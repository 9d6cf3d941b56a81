/** Search: everything that a caller can see, from an index beside the forge. */
import type { Feature } from '#core/hearth.ts'
import type { Job } from '#core/jobs.ts'
import { belongings } from '#features/repos/index.ts'
import { takeBranch } from './branches.ts'
import { exploreRepos } from './explore-repos.ts'
import { followers, reactions } from './follow.ts'
import { jump } from './jump.ts'
import { keepIndex, sweepSearch } from './keep-index.ts'
import { search } from './search.ts'
import { removeRecordMarks } from './store.ts'

export * from './schema.ts'
export { parseQuery, SEARCH_TYPES, typeOf, type SearchType } from './query.ts'
export { exploreRepos, jump, search }

export const feature: Feature = {
  name: 'search',
  operations: [search, jump, exploreRepos],
  reactions,
  followers,
  jobs: [keepIndex, sweepSearch, takeBranch] as Job[],
  // After that of the issues, whose deleted comments leave marks.
  extensions: [belongings.with(removeRecordMarks)],
}
