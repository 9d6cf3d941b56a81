/** SQL of the doctor; it only reads. */
import type { Db } from '#core/db.ts'

/** Lists the repositories that use an object store, forks included. */
export const listRepoIds = (db: Db, store: string): string[] =>
  db
    .all<{ id: string }>('SELECT id FROM repos WHERE store = ? ORDER BY id', store)
    .map(({ id }) => id)

/** Lists the names of the repositories of a store, forks excluded. */
export const listNamesOfStore = (db: Db, store: string): string[] =>
  db
    .all<{ name: string }>(
      `SELECT actors.username || '/' || repos.name AS name FROM repos JOIN actors ON actors.id = repos.workspace_id WHERE repos.store = ?1 AND repos.parent_id IS NULL
       UNION SELECT actors.username || '/' || repos.name || ' (private fork)' FROM private_stores s
         JOIN repos ON repos.id = s.repo_id JOIN actors ON actors.id = repos.workspace_id WHERE s.store = ?1 ORDER BY 1`,
      store,
    )
    .map(({ name }) => name)

/** Lists every store that a row names, including those of purged repositories. */
export const listNamedStores = (db: Db): string[] =>
  db
    .all<{ store: string }>('SELECT store FROM repos UNION SELECT store FROM private_stores')
    .map(({ store }) => store)

/** The newest event and its time. */
export const findNewestEvent = (db: Db): { id: string; time: string } | null =>
  db.one('SELECT id, time FROM events ORDER BY id DESC LIMIT 1')

export const countFailedJobs = (db: Db): { kind: string; n: number; error: string | null }[] =>
  db.all(
    `SELECT kind, count(*) AS n, max(error) AS error FROM jobs WHERE state = 'failed' GROUP BY kind ORDER BY kind`,
  )

/** Lists the refs of a store that point at an object. */
export const listRefsPointingAt = (
  db: Db,
  store: string,
  oid: string,
): { repo_id: string; name: string }[] =>
  db.all(
    'SELECT refs.repo_id, refs.name FROM refs JOIN repos ON repos.id = refs.repo_id WHERE repos.store = ? AND refs.oid = ? ORDER BY 1, 2',
    store,
    oid,
  )

/** Lists the earlier positions of a ref, the latest first. */
export const listEarlierOids = (db: Db, repo_id: string, ref: string): string[] =>
  db
    .all<{ oid: string | null }>(
      `SELECT data ->> 'before' AS oid FROM events WHERE repo_id = ? AND type = 'git.push' AND data ->> 'ref' = ? ORDER BY id DESC LIMIT 1000`,
      repo_id,
      ref,
    )
    .flatMap(({ oid }) => (oid === null ? [] : [oid]))
