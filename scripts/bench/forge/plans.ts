/**
 * What pages ask of the database, and which of it reads whole tables or sorts what could come in
 * order (https://www.sqlite.org/eqp.html).
 */
import type { DatabaseHandle } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'

export type Plan = {
  readonly sql: string
  readonly times: number
  readonly ms: number
  readonly steps: readonly string[]
}

/** Tables that stay small whatever a forge holds, or that are meant to be read whole. */
const SMALL = new Set(['migrations', 'site_settings', 'json_each', 'setup_links', 'sqlite_schema'])

/** Runs something and gives each question that it asked of the database, with its plan. */
export async function plansOf(
  hearth: Pick<Hearth, 'database'>,
  run: () => Promise<unknown>,
): Promise<Plan[]> {
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
  return [...asked]
    .filter(([sql]) => /^\s*(SELECT|WITH)/i.test(sql))
    .map(([sql, { times, ms }]) => ({
      sql: sql.replace(/\s+/g, ' ').trim(),
      times,
      ms,
      steps: stepsOf(database, sql),
    }))
}

function stepsOf(database: DatabaseHandle, sql: string): string[] {
  const statement = database.raw.prepare<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`)
  try {
    return statement.all().map(({ detail }) => detail)
  } finally {
    statement.finalize()
  }
}

/** Steps that cost more the more a table holds: reading it whole, or an index of it whole. */
export function wholeTables({ sql, steps }: Plan): string[] {
  // What was gathered on the way is as small as what it was gathered from.
  const gathered = new Set(
    steps.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)/.exec(step)?.[1] ?? []),
  )
  for (const name of [...gathered])
    for (const [, alias = ''] of sql.matchAll(new RegExp(`\\b${name} (?:AS )?(\\w+)`, 'g')))
      gathered.add(alias)
  return steps.filter((step) => {
    const [, table = ''] = /^SCAN (\w+)/.exec(step) ?? []
    return (
      table !== '' &&
      table !== 'CONSTANT' &&
      !SMALL.has(table) &&
      !gathered.has(table) &&
      !/^SCAN \w+ VIRTUAL TABLE/.test(step)
    )
  })
}
