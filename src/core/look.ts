/**
 * One look at the database: while a record, or a page of them, is put together, nothing changes in
 * between, so what was asked once is not asked again. Questions that come up for every row (who is
 * this, what may they, which rules are there) go through `kept`; a page brings what all of its rows
 * need with one question each, through `keepAll`. Outside of a look every question is asked anew.
 *
 * A look is synchronous. It forgets everything at the first change, so it may be held inside a
 * transaction too.
 */
import type { Db } from './db.ts'

type Known = Map<string, unknown>

const looks = new WeakMap<object, Known>()

/**
 * Runs a function in one look; inside of another it shares that one's answers. It must not be
 * asynchronous.
 */
export function look<T>(db: Db, run: () => T): T extends PromiseLike<unknown> ? never : T {
  type Result = T extends PromiseLike<unknown> ? never : T
  if (looks.has(db)) return run() as Result
  looks.set(db, new Map())
  try {
    return run() as Result
  } finally {
    looks.delete(db)
  }
}

/**
 * The answer to a question, found once in a look. `name` says which question; together with `of` it
 * is unique. Nobody changes the answer.
 */
export function kept<V>(db: Db, name: string, of: string, find: () => V): V {
  const known = looks.get(db)
  if (known === undefined) return find()
  const key = `${name} ${of}`
  const before = known.get(key)
  if (before !== undefined || known.has(key)) return before as V
  const found = find()
  known.set(key, found)
  return found
}

/**
 * Finds the answers for all of a page at once; `find` gives them by the same words as `kept` asks
 * for, and `none` is the answer for the others.
 */
export function keepAll<V>(
  db: Db,
  name: string,
  of: readonly string[],
  find: () => ReadonlyMap<string, V>,
  none: () => V,
): void {
  const known = looks.get(db)
  if (known === undefined || of.every((one) => known.has(`${name} ${one}`))) return
  const found = find()
  for (const one of of) known.set(`${name} ${one}`, found.has(one) ? found.get(one) : none())
}

/** Something was changed, so nothing that was known holds for sure. Called by the database. */
export function forgetLook(db: Db): void {
  looks.get(db)?.clear()
}
