/** Sums of the tables `model_calls` and `model_days`. Amounts are millionths of a US dollar. */
import type { Db } from '#core/db.ts'
import type { Timestamp } from '#lib/time.ts'
import type { UsageGroup } from './schema.ts'

export type UsageSum = {
  readonly key: string | null
  readonly calls: number
  readonly estimated: number
  readonly unpriced: number
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cost: number
}

const SUMS = `count(*) AS calls, sum(estimated) AS estimated, sum(1 - priced) AS unpriced,
  sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens, sum(cost) AS cost`

const COLUMNS: Readonly<Record<UsageGroup, string>> = {
  day: 'substr(at, 1, 10)',
  agent: 'actor_id',
  pull: 'pull_id',
  task: 'task',
  model: 'model',
}

/** The calls since a time in groups: days newest first, others by what they cost. */
export const sumUsage = (
  db: Db,
  workspace_id: string,
  { by, since, limit }: { by: UsageGroup; since: Timestamp; limit: number },
): UsageSum[] =>
  db.all<UsageSum>(
    `SELECT ${COLUMNS[by]} AS key, ${SUMS} FROM model_calls WHERE workspace_id = ? AND at >= ?
     GROUP BY 1 ORDER BY ${by === 'day' ? '1 DESC' : 'cost DESC, calls DESC, 1'} LIMIT ?`,
    workspace_id,
    since,
    limit,
  )

export const totalUsage = (db: Db, workspace_id: string, since: Timestamp): UsageSum | null =>
  db.one<UsageSum>(
    `SELECT NULL AS key, ${SUMS} FROM model_calls WHERE workspace_id = ? AND at >= ? HAVING calls > 0`,
    workspace_id,
    since,
  )
