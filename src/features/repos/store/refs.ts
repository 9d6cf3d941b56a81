/** SQL for refs. Only `moveRefs` and `renameRef` change them. */
import type { Oid, Ref } from '#git'
import type { Db } from '#core/db.ts'
import { preload, memo } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'

export type RefRow = Ref & { readonly moved_at: string }

/** All refs of a repository in the byte order of their names. */
export const listRefs = (db: Db, repo_id: string): Ref[] =>
  db.all<Ref>('SELECT name, oid, peeled FROM refs WHERE repo_id = ? ORDER BY name', repo_id)

export const findRef = (db: Db, repo_id: string, name: string): RefRow | null =>
  memo(db, 'ref', `${repo_id} ${name}`, () =>
    db.one<RefRow>(
      'SELECT name, oid, peeled, moved_at FROM refs WHERE repo_id = ? AND name = ?',
      repo_id,
      name,
    ),
  )

/** Preloads refs into the current read scope. */
export const preloadRefs = (db: Db, repo_id: string, names: readonly string[]): void =>
  preload(
    db,
    'ref',
    names.map((name) => `${repo_id} ${name}`),
    () =>
      new Map(
        db
          .all<RefRow>(
            'SELECT name, oid, peeled, moved_at FROM refs WHERE repo_id = ? AND name IN (SELECT value FROM json_each(?))',
            repo_id,
            JSON.stringify(names),
          )
          .map((row) => [`${repo_id} ${row.name}`, row]),
      ),
    () => null,
  )

export const readRef = (db: Db, repo_id: string, name: string): Oid | null =>
  findRef(db, repo_id, name)?.oid ?? null

/** The range of names that begin with a prefix. `0` follows `/` in ASCII. */
const rangeBelow = (prefix: string): [string, string] => [`${prefix}/`, `${prefix}0`]

export const hasBranches = (db: Db, repo_id: string): boolean =>
  memo(
    db,
    'has branches',
    repo_id,
    () =>
      db.one(
        'SELECT 1 FROM refs WHERE repo_id = ? AND name >= ? AND name < ? LIMIT 1',
        repo_id,
        ...rangeBelow('refs/heads'),
      ) !== null,
  )

/** Preloads which of these repositories have branches. */
export const preloadHasBranches = (db: Db, repo_ids: readonly string[]): void =>
  preload(
    db,
    'has branches',
    repo_ids,
    () => {
      const rows = db.all<{ id: string }>(
        'SELECT i.value AS id FROM json_each(?) i WHERE EXISTS (SELECT 1 FROM refs WHERE repo_id = i.value AND name >= ? AND name < ?)',
        JSON.stringify(repo_ids),
        ...rangeBelow('refs/heads'),
      )
      return new Map(rows.map(({ id }) => [id, true]))
    },
    () => false,
  )

/** Returns a ref below this name, as if the name were a directory. */
export const findRefBelow = (db: Db, repo_id: string, name: string): string | null =>
  db.one<{ name: string }>(
    'SELECT name FROM refs WHERE repo_id = ? AND name >= ? AND name < ? LIMIT 1',
    repo_id,
    ...rangeBelow(name),
  )?.name ?? null

/**
 * The index of the refs below a directory by the time of their last move, and its condition. Both
 * stand literally in queries: a partial index needs its condition
 * (https://www.sqlite.org/partialindex.html), and the planner prefers the primary key.
 */
const BY_MOVE = {
  'refs/heads': {
    index: 'branches_by_move',
    isBelow: `name >= 'refs/heads/' AND name < 'refs/heads0'`,
  },
  'refs/tags': {
    index: 'tags_by_move',
    isBelow: `name >= 'refs/tags/' AND name < 'refs/tags0'`,
  },
} as const

/** The directories whose refs have an index by the time of their last move. */
export type RefDirectory = keyof typeof BY_MOVE

/**
 * Lists refs below a directory, the most recently moved first, and `first` before all others. It
 * reads as many refs as it skips and returns, and with `q` those that do not match too.
 */
export function listRefsBelow(
  db: Db,
  repo_id: string,
  directory: RefDirectory,
  {
    q = '',
    first = '',
    limit,
    offset,
  }: { q?: string; first?: string; limit: number; offset: number },
): RefRow[] {
  const { index, isBelow } = BY_MOVE[directory]
  const columns = 'SELECT name, oid, peeled, moved_at FROM refs'
  const matches = `repo_id = ?1 AND ${isBelow}
    AND (?2 = '' OR instr(lower(substr(name, ${directory.length + 2})), lower(?2)) > 0)`
  const leading = db.all<RefRow>(`${columns} WHERE ${matches} AND name = ?3`, repo_id, q, first)
  const others = db.all<RefRow>(
    `${columns} INDEXED BY ${index} WHERE ${matches} AND name <> ?3 ORDER BY moved_at DESC, name LIMIT ?4 OFFSET ?5`,
    repo_id,
    q,
    first,
    Math.max(0, offset === 0 ? limit - leading.length : limit),
    Math.max(0, offset - leading.length),
  )
  return offset === 0 ? [...leading.slice(0, limit), ...others] : others
}

export const lastMovedBranch = (db: Db, repo_id: string): string | null =>
  db.one<{ name: string }>(
    `SELECT name FROM refs INDEXED BY ${BY_MOVE['refs/heads'].index}
     WHERE repo_id = ? AND ${BY_MOVE['refs/heads'].isBelow} ORDER BY moved_at DESC, name LIMIT 1`,
    repo_id,
  )?.name ?? null

export function setRef(tx: Tx, repo_id: string, ref: Ref): void {
  tx.db.run(
    `INSERT INTO refs (repo_id, name, oid, peeled, moved_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (repo_id, name)
     DO UPDATE SET oid = excluded.oid, peeled = excluded.peeled, moved_at = excluded.moved_at`,
    repo_id,
    ref.name,
    ref.oid,
    ref.peeled,
    tx.now,
  )
}

export const removeRef = (tx: Tx, repo_id: string, name: string): number =>
  tx.db.run('DELETE FROM refs WHERE repo_id = ? AND name = ?', repo_id, name)

/** Stores a new generation after refs moved, which invalidates the cached refs. */
export function setRefsMoved(
  tx: Tx,
  repo_id: string,
  generation: string,
  head: string | null,
): void {
  tx.db.run(
    'UPDATE repos SET refs_generation = ?, default_branch = coalesce(?, default_branch), pushed_at = ?, updated_at = ? WHERE id = ?',
    generation,
    head,
    tx.now,
    tx.now,
    repo_id,
  )
}

/** Points HEAD at another branch. */
export function setHead(tx: Tx, repo_id: string, generation: string, default_branch: string): void {
  tx.db.run(
    'UPDATE repos SET refs_generation = ?, default_branch = ?, updated_at = ? WHERE id = ?',
    generation,
    default_branch,
    tx.now,
    repo_id,
  )
}

/**
 * Lists the object stores in use, also those that belong to no repository of their own
 * (`private_stores`). Those of purged repositories are left out, because a job is deleting them.
 */
export const listStores = (db: Db): string[] =>
  db
    .all<{ store: string }>(
      `SELECT store FROM repos WHERE purged_at IS NULL
       UNION SELECT store FROM private_stores WHERE purged_at IS NULL ORDER BY store`,
    )
    .map(({ store }) => store)

/** Like `listStores`, in pages after a name. */
export const listStoresAfter = (db: Db, after: string, limit: number): string[] =>
  db
    .all<{ store: string }>(
      `SELECT store FROM (SELECT DISTINCT store FROM repos WHERE store > ?1 AND purged_at IS NULL
         ORDER BY store LIMIT ?2)
       UNION SELECT store FROM private_stores WHERE store > ?1 AND purged_at IS NULL
       ORDER BY store LIMIT ?2`,
      after,
      limit,
    )
    .map(({ store }) => store)

/** Lists the repositories of a store that are not forks. */
export const listRootsOfStore = (db: Db, store: string): string[] =>
  db
    .all<{ id: string }>(
      'SELECT id FROM repos WHERE store = ? AND parent_id IS NULL ORDER BY id',
      store,
    )
    .map(({ id }) => id)

/** The time of the last push to a repository of this store. */
export const lastPushOfStore = (db: Db, store: string): string =>
  db.one<{ at: string | null }>(
    `SELECT max(at) AS at FROM (SELECT coalesce(pushed_at, created_at) AS at FROM repos WHERE store = ?1
     UNION ALL SELECT used_at FROM private_stores WHERE store = ?1)`,
    store,
  )?.at ?? ''

/** Lists every object that a ref of this store points at. None of them may be collected. */
export const listTipsOfStore = (db: Db, store: string): Oid[] =>
  db
    .all<{ oid: string }>(
      `SELECT refs.oid FROM refs JOIN repos ON repos.id = refs.repo_id WHERE repos.store = ?1
       UNION SELECT oid FROM private_store_refs WHERE store = ?1`,
      store,
    )
    .map(({ oid }) => oid)
