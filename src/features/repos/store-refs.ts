/** Refs as rows. The only way to change one is `moveRefs`. */
import type { Oid, Ref } from '#git'
import type { Db } from '#core/db.ts'
import { keepAll, kept } from '#core/look.ts'
import type { Tx } from '#core/write.ts'

export type RefRow = Ref & { readonly moved_at: string }

/** All refs of a repository in byte order of their names. */
export const listRefs = (db: Db, repo_id: string): Ref[] =>
  db.all<Ref>('SELECT name, oid, peeled FROM refs WHERE repo_id = ? ORDER BY name', repo_id)

export const findRef = (db: Db, repo_id: string, name: string): RefRow | null =>
  kept(db, 'ref', `${repo_id} ${name}`, () =>
    db.one<RefRow>(
      'SELECT name, oid, peeled, moved_at FROM refs WHERE repo_id = ? AND name = ?',
      repo_id,
      name,
    ),
  )

export const readRef = (db: Db, repo_id: string, name: string): Oid | null =>
  findRef(db, repo_id, name)?.oid ?? null

/** The range of names that begin with a prefix: `0` is the character after `/`. */
const below = (prefix: string): [string, string] => [`${prefix}/`, `${prefix}0`]

export const hasBranches = (db: Db, repo_id: string): boolean =>
  kept(
    db,
    'has branches',
    repo_id,
    () =>
      db.one(
        'SELECT 1 FROM refs WHERE repo_id = ? AND name >= ? AND name < ? LIMIT 1',
        repo_id,
        ...below('refs/heads'),
      ) !== null,
  )

/** Brings into the look that is under way which of these repositories have branches. */
export const keepHasBranches = (db: Db, repo_ids: readonly string[]): void =>
  keepAll(
    db,
    'has branches',
    repo_ids,
    () => {
      const rows = db.all<{ id: string }>(
        'SELECT i.value AS id FROM json_each(?) i WHERE EXISTS (SELECT 1 FROM refs WHERE repo_id = i.value AND name >= ? AND name < ?)',
        JSON.stringify(repo_ids),
        ...below('refs/heads'),
      )
      return new Map(rows.map(({ id }) => [id, true]))
    },
    () => false,
  )

/** A ref below this name, as if the name were a directory. */
export const findRefBelow = (db: Db, repo_id: string, name: string): string | null =>
  db.one<{ name: string }>(
    'SELECT name FROM refs WHERE repo_id = ? AND name >= ? AND name < ? LIMIT 1',
    repo_id,
    ...below(name),
  )?.name ?? null

/**
 * Refs below a directory (`refs/heads`), the most recently moved first, `first` before all others.
 */
export function listRefsBelow(
  db: Db,
  repo_id: string,
  directory: string,
  options: { q?: string; first?: string; limit: number; offset: number },
): RefRow[] {
  return db.all<RefRow>(
    `SELECT name, oid, peeled, moved_at FROM refs WHERE repo_id = ?1 AND name >= ?2 AND name < ?3
       AND (?4 IS NULL OR instr(lower(substr(name, length(?2) + 1)), lower(?4)) > 0)
     ORDER BY name = ?5 DESC, moved_at DESC, name LIMIT ?6 OFFSET ?7`,
    repo_id,
    ...below(directory),
    options.q ?? null,
    options.first ?? '',
    options.limit,
    options.offset,
  )
}

export const lastMovedBranch = (db: Db, repo_id: string): string | null =>
  db.one<{ name: string }>(
    'SELECT name FROM refs WHERE repo_id = ? AND name >= ? AND name < ? ORDER BY moved_at DESC, name LIMIT 1',
    repo_id,
    ...below('refs/heads'),
  )?.name ?? null

export function setRef(tx: Tx, repo_id: string, ref: Ref): void {
  tx.db.run(
    `INSERT INTO refs (repo_id, name, oid, peeled, moved_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (repo_id, name) DO UPDATE SET oid = excluded.oid, peeled = excluded.peeled, moved_at = excluded.moved_at`,
    repo_id,
    ref.name,
    ref.oid,
    ref.peeled,
    tx.now,
  )
}

export const removeRef = (tx: Tx, repo_id: string, name: string): number =>
  tx.db.run('DELETE FROM refs WHERE repo_id = ? AND name = ?', repo_id, name)

/** Marks that refs moved: what was kept under the generation before is of the past. */
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

/** Every object store that repositories use; those of purged ones are on their way out. */
export const listStores = (db: Db): string[] =>
  db
    .all<{ store: string }>(
      'SELECT DISTINCT store FROM repos WHERE purged_at IS NULL ORDER BY store',
    )
    .map(({ store }) => store)

/** The same a part at a time, those after one name. */
export const listStoresAfter = (db: Db, after: string, limit: number): string[] =>
  db
    .all<{ store: string }>(
      'SELECT DISTINCT store FROM repos WHERE store > ? AND purged_at IS NULL ORDER BY store LIMIT ?',
      after,
      limit,
    )
    .map(({ store }) => store)

/** The repositories of a store that are no forks. */
export const listRootsOfStore = (db: Db, store: string): string[] =>
  db
    .all<{ id: string }>(
      'SELECT id FROM repos WHERE store = ? AND parent_id IS NULL ORDER BY id',
      store,
    )
    .map(({ id }) => id)

/** When refs of a family moved last. */
export const lastMoveOfStore = (db: Db, store: string): string =>
  db.one<{ at: string | null }>(
    'SELECT max(coalesce(pushed_at, created_at)) AS at FROM repos WHERE store = ?',
    store,
  )?.at ?? ''

/** Every object that a ref of the family points at; what must never be collected. */
export const listTipsOfStore = (db: Db, store: string): Oid[] =>
  db
    .all<{ oid: string }>(
      'SELECT DISTINCT refs.oid FROM refs JOIN repos ON repos.id = refs.repo_id WHERE repos.store = ?',
      store,
    )
    .map(({ oid }) => oid)
