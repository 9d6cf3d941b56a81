/** What pages ask of the database, and which of it reads whole tables or sorts what could come in order (https://www.sqlite.org/eqp.html). */
import type { DatabaseHandle } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'

export type Plan = { readonly sql: string; readonly times: number; readonly ms: number; readonly steps: readonly string[] }

/** Tables that stay small whatever a forge holds, or that are meant to be read whole. */
const SMALL = new Set(['migrations', 'site_settings', 'json_each', 'setup_links', 'sqlite_schema'])

/** Runs something and gives each question that it asked of the database, with its plan. */
export async function plansOf(hearth: Pick<Hearth, 'database'>, run: () => Promise<unknown>): Promise<Plan[]> {
  const { database } = hearth
  const asked = new Map<string, { times: number; ms: number }>()
  const before = database.watch
  database.watch = (sql, ms) => {
    before?.(sql, ms)
    const known = asked.get(sql) ?? { times: 0, ms: 0 }
    asked.set(sql, { times: known.times + 1, ms: known.ms + ms })
  }
  try {
    await run()
  } finally {
    database.watch = before
  }
  return [...asked].filter(([sql]) => /^\s*(SELECT|WITH)/i.test(sql)).map(([sql, { times, ms }]) => ({ sql: sql.replace(/\s+/g, ' ').trim(), times, ms, steps: stepsOf(database, sql) }))
}

const stepsOf = (database: DatabaseHandle, sql: string): string[] => database.raw.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all().map(({ detail }) => detail)

/** Steps that cost more the more a table holds: reading it whole, or an index of it whole. */
export const wholeTables = ({ steps }: Plan): string[] =>
  steps.filter((step) => {
    const [, table = ''] = /^SCAN (\w+)/.exec(step) ?? []
    return table !== '' && !SMALL.has(table) && !/^SCAN \w+ VIRTUAL TABLE/.test(step)
  })
