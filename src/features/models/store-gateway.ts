/** The table `model_gateways`: whether programs outside may call models, and what they spend. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import { timestamp, type Timestamp } from '#lib/time.ts'

export type GatewayRow = {
  readonly workspace_id: string
  readonly outside: 0 | 1
  readonly max_usd_per_day: number | null
  /** The last day on which programs outside spent something, and what, in millionths. */
  readonly day: string
  readonly spent: number
  readonly updated_at: Timestamp
}

export const findGateway = (db: Db, workspace_id: string): GatewayRow | null =>
  db.one<GatewayRow>('SELECT * FROM model_gateways WHERE workspace_id = ?', workspace_id)

/** What programs outside have spent on the day of a time, in millionths of a US dollar. */
export const outsideSpent = ({ day, spent }: GatewayRow, now: number): number =>
  day === timestamp(now).slice(0, 10) ? spent : 0

export const setGateway = (
  tx: Tx,
  workspace_id: string,
  { outside, max_usd_per_day }: Pick<GatewayRow, 'outside' | 'max_usd_per_day'>,
): void =>
  void tx.db.run(
    `INSERT INTO model_gateways (workspace_id, outside, max_usd_per_day, updated_at)
     VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET outside = excluded.outside,
     max_usd_per_day = excluded.max_usd_per_day, updated_at = excluded.updated_at`,
    workspace_id,
    outside,
    max_usd_per_day,
    tx.now,
  )

export const addOutsideCost = (tx: Tx, workspace_id: string, cost: number): void =>
  void tx.db.run(
    `UPDATE model_gateways SET spent = CASE WHEN day = ?2 THEN spent ELSE 0 END + ?3, day = ?2
     WHERE workspace_id = ?1`,
    workspace_id,
    tx.now.slice(0, 10),
    cost,
  )
