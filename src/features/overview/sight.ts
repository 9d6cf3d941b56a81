/** Which repositories somebody sees. */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { listSeen, sightOf } from '#features/repos/index.ts'

/** Those of these repositories that the caller sees, however many there are. */
export const seenOf = (db: Db, caller: Caller, repo_ids: Iterable<string>): ReadonlySet<string> =>
  new Set(listSeen(db, sightOf(db, caller), [...new Set(repo_ids)]))
