/** Repository visibility for pages that span repositories. */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { filterVisibleRepos, visibleReposOf } from '#features/repos/index.ts'

/** The repositories among these that the caller can see. */
export const listVisibleRepos = (
  db: Db,
  caller: Caller,
  repo_ids: Iterable<string>,
): ReadonlySet<string> =>
  new Set(filterVisibleRepos(db, visibleReposOf(db, caller), [...new Set(repo_ids)]))
