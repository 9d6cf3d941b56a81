/** What the doctor asks of tables; it only reads. */
import type { Db } from '#core/db.ts'

/** The repositories that use an object store, forks too. */
export const listRepoIds = (db: Db, store: string): string[] =>
  db
    .all<{ id: string }>('SELECT id FROM repos WHERE store = ? ORDER BY id', store)
    .map(({ id }) => id)

/** What the repositories of a store are called, forks left out. */
export const namesOfStore = (db: Db, store: string): string[] =>
  db
    .all<{ name: string }>(
      `SELECT actors.username || '/' || repos.name AS name FROM repos JOIN actors ON actors.id = repos.workspace_id WHERE repos.store = ? AND repos.parent_id IS NULL ORDER BY 1`,
      store,
    )
    .map(({ name }) => name)

/** Every store that a row names, those on their way out too. */
export const listNamedStores = (db: Db): string[] =>
  db.all<{ store: string }>('SELECT DISTINCT store FROM repos').map(({ store }) => store)

/** When the newest thing happened. */
/** The newest event and its time. */
export const findNewestEvent = (db: Db): { id: string; time: string } | null =>
  db.one('SELECT id, time FROM events ORDER BY id DESC LIMIT 1')

export const countFailedJobs = (db: Db): { kind: string; n: number; error: string | null }[] =>
  db.all(
    `SELECT kind, count(*) AS n, max(error) AS error FROM jobs WHERE state = 'failed' GROUP BY kind ORDER BY kind`,
  )

/** The refs of a family that point at an object. */
export const listRefsAt = (
  db: Db,
  store: string,
  oid: string,
): { repo_id: string; name: string }[] =>
  db.all(
    'SELECT refs.repo_id, refs.name FROM refs JOIN repos ON repos.id = refs.repo_id WHERE repos.store = ? AND refs.oid = ? ORDER BY 1, 2',
    store,
    oid,
  )

/** Where a ref was before, the latest first. */
export const listEarlier = (db: Db, repo_id: string, ref: string): string[] =>
  db
    .all<{ oid: string | null }>(
      `SELECT data ->> 'before' AS oid FROM events WHERE repo_id = ? AND type = 'git.push' AND data ->> 'ref' = ? ORDER BY id DESC LIMIT 1000`,
      repo_id,
      ref,
    )
    .flatMap(({ oid }) => (oid === null ? [] : [oid]))
