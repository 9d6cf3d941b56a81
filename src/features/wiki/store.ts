/** SQL for the table `wikis`. */
import type { Db } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { RetainedPage } from '#features/repos/index.ts'
import type { Timestamp } from '#lib/time.ts'

export type WikiRow = {
  readonly repo_id: string
  readonly branch: string
  readonly commit_sha: Oid
  readonly updated_at: Timestamp
}

/** Null while the wiki has no page. */
export const findWiki = (db: Db, repo_id: string): WikiRow | null =>
  memo(db, 'wiki', repo_id, () => db.one<WikiRow>('SELECT * FROM wikis WHERE repo_id = ?', repo_id))

export const setWiki = (tx: Tx, repo_id: string, branch: string, commit: Oid): void =>
  void tx.db.run(
    `INSERT INTO wikis (repo_id, branch, commit_sha, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (repo_id)
     DO UPDATE SET commit_sha = excluded.commit_sha, updated_at = excluded.updated_at`,
    repo_id,
    branch,
    commit,
    tx.now,
  )

/** The head of the wiki, which no ref of the repository reaches. */
export function listRetainedHeads(db: Db, repo_id: string): RetainedPage {
  const wiki = findWiki(db, repo_id)
  return { oids: wiki ? [wiki.commit_sha] : [], next: null }
}
