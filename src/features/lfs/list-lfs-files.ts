import type { Db } from '#core/db.ts'
import { listObjectsAfter } from './store-objects.ts'

const BATCH_ROWS = 500

/** The digests of all large files of a repository, for `hearth export`. */
export function* listLfsFiles(db: Db, repo_id: string): Generator<string> {
  for (let after = ''; ; ) {
    const rows = listObjectsAfter(db, repo_id, after, BATCH_ROWS)
    for (const { oid } of rows) yield oid
    const last = rows.at(-1)
    if (!last) return
    after = last.oid
  }
}
