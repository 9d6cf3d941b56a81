/** The same money wherever it is written down, in millionths of a US dollar. */
import type { Db } from '#core/db.ts'

/** Of calls, of days, of usage entries, of the pull request and of all agents. */
export function moneySums(db: Db, number: number): number[] {
  const micro = (usd: number | null | undefined): number => Math.round((usd ?? 0) * 1e6)
  const sum = (sql: string): number => db.one<{ sum: number | null }>(sql)?.sum ?? 0
  return [
    sum('SELECT sum(cost) AS sum FROM model_calls'),
    sum('SELECT sum(cost) AS sum FROM model_days'),
    micro(
      sum(
        `SELECT sum(json_extract(data, '$.cost_usd')) AS sum FROM session_entries WHERE kind = 'usage'`,
      ),
    ),
    micro(sum(`SELECT session_cost AS sum FROM pulls WHERE number = ${number}`)),
    micro(sum('SELECT sum(cost_usd) AS sum FROM agents')),
  ]
}
