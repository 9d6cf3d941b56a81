/** Counts queries, for tests that hold lists to one query a page rather than one a row. */
import type { Hearth } from '#core/hearth.ts'

/**
 * The result of `run` and the number of its queries. Each call reads all that it needs, as the first
 * after a commit does: what is left of earlier calls depends on the time that passed. Queries of the
 * job runner and looks for commits of other processes do not count.
 */
export async function countQueries<T>(
  { database, metrics }: Hearth,
  run: () => T | Promise<T>,
): Promise<{ result: T; queries: number }> {
  const { version } = database
  const record = metrics.recordQuery.bind(metrics)
  let queries = 0
  metrics.recordQuery = (sql, ms) => {
    if (!/\bjobs\b|data_version/.test(sql)) queries++
    record(sql, ms)
  }
  database.version = null
  try {
    return { result: await run(), queries }
  } finally {
    database.version = version
    metrics.recordQuery = record
  }
}

/** How SQLite answers each statement of `run`, by the text of the statement. */
export async function collectPlans(
  { database, metrics }: Hearth,
  run: () => Promise<unknown>,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const record = metrics.recordQuery.bind(metrics)
  const texts = new Set<string>()
  metrics.recordQuery = (sql, ms) => {
    texts.add(sql)
    record(sql, ms)
  }
  try {
    await run()
  } finally {
    metrics.recordQuery = record
  }
  const plans = new Map<string, readonly string[]>()
  for (const sql of texts) {
    // A statement that stays open would keep the database from being closed.
    const statement = database.raw.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
    plans.set(
      sql,
      statement.all().map(({ detail }) => detail),
    )
    statement.finalize()
  }
  return plans
}
