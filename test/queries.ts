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
