/**
 * A read scope is a synchronous span in which reads of the database are memoised. A page of records
 * is put together in one scope, because every row needs the same facts: its author, the rights of
 * the caller, the rules of its branch. `memo` reads a fact once in a scope. `preload` reads a fact
 * for all rows of a page with one query. Outside of a scope every read goes to the database.
 *
 * The memos belong to the database connection (`Db.memos`), which clears them on every change. A
 * read scope may therefore be open inside a transaction. Of a running forge they also hold for later
 * scopes until the next commit of this process or another, at most for a second: the calls of one
 * page all ask for the same repository and the same rights.
 *
 * The reads of a scope are one transaction, so they see one state of the data.
 */
import type { Db } from './db.ts'

/**
 * Runs a synchronous function in a read scope. A nested scope shares the memos of the outer one.
 */
export function readScope<T>(db: Db, run: () => T): T extends PromiseLike<unknown> ? never : T {
  type Result = T extends PromiseLike<unknown> ? never : T
  if (db.memos !== null) return run() as Result
  db.memos = db.currentMemos()
  try {
    return run() as Result
  } finally {
    db.memos = null
    db.endReads()
  }
}

/** Renders a page in a read scope: its frame and its parts ask for the same rights. */
export const viewScope = <T extends object>({ db }: { readonly db: Db }, run: () => T) =>
  readScope(db, run)

/**
 * The value of `find`, which runs once in a read scope for each pair of `name` (the kind of fact)
 * and `key` (a record). Callers must not change the value.
 */
export function memo<V>(db: Db, name: string, key: string, find: () => V): V {
  const { memos } = db
  if (memos === null) return find()
  const memoKey = `${name} ${key}`
  const memoised = memos.get(memoKey)
  if (memoised !== undefined || memos.has(memoKey)) return memoised as V
  const value = find()
  memos.set(memoKey, value)
  return value
}

/**
 * Fills the memos of `name` for all `keys` with one query. `find` returns the values by their keys,
 * and `none` the value of a key that has none. Does nothing when all keys are memoised already.
 */
export function preload<V>(
  db: Db,
  name: string,
  keys: readonly string[],
  find: () => ReadonlyMap<string, V>,
  none: () => V,
): void {
  const { memos } = db
  if (memos === null || keys.every((key) => memos.has(`${name} ${key}`))) return
  const values = find()
  for (const key of keys) memos.set(`${name} ${key}`, values.has(key) ? values.get(key) : none())
}
