/** The tables `model_calls`, `model_days` and `agent_task_costs`. Amounts are millionths of a US dollar. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'

export type CallRow = {
  readonly workspace_id: string
  readonly pull_id: string | null
  readonly actor_id: string
  readonly task: string
  readonly integration_id: string
  readonly model: string
  readonly input_tokens: number
  readonly cached_tokens: number
  readonly output_tokens: number
  readonly cost: number
  readonly estimated: 0 | 1
  /** Whether the model has a price. */
  readonly priced: 0 | 1
  readonly status: number
  readonly ms: number
}

export function insertCall(tx: Tx, row: CallRow): void {
  tx.db.run(
    `INSERT INTO model_calls (workspace_id, pull_id, actor_id, task, integration_id, model,
     input_tokens, cached_tokens, output_tokens, cost, estimated, priced, status, ms, at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.workspace_id,
    row.pull_id,
    row.actor_id,
    row.task,
    row.integration_id,
    row.model,
    row.input_tokens,
    row.cached_tokens,
    row.output_tokens,
    row.cost,
    row.estimated,
    row.priced,
    row.status,
    row.ms,
    tx.now,
  )
  tx.db.run(
    `INSERT INTO model_days (workspace_id, day, task, model, calls, unpriced, input_tokens,
     output_tokens, cost) VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + 1, unpriced = unpriced + excluded.unpriced,
       input_tokens = input_tokens + excluded.input_tokens,
       output_tokens = output_tokens + excluded.output_tokens, cost = cost + excluded.cost`,
    row.workspace_id,
    tx.now.slice(0, 10),
    row.task,
    row.model,
    1 - row.priced,
    row.input_tokens,
    row.output_tokens,
    row.cost,
  )
}

/** What the calls of an agent for one task have cost, however long ago. */
export const costOfTask = (db: Db, agent_id: string, task: string): number =>
  db.one<{ cost: number }>(
    'SELECT cost FROM agent_task_costs WHERE agent_id = ? AND task = ?',
    agent_id,
    task,
  )?.cost ?? 0

export const addCostOfTask = (tx: Tx, agent_id: string, task: string, cost: number): void =>
  void tx.db.run(
    `INSERT INTO agent_task_costs (agent_id, task, cost) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET cost = cost + excluded.cost`,
    agent_id,
    task,
    cost,
  )

/** Deletes up to `limit` calls before a time. Returns how many. */
export const removeCallsBefore = (tx: Tx, before: Timestamp, limit: number): number =>
  tx.db.run(
    'DELETE FROM model_calls WHERE id IN (SELECT id FROM model_calls WHERE at < ? LIMIT ?)',
    before,
    limit,
  )
