/** The table `agent_reviews`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import type { Timestamp } from '#lib/time.ts'

export type AgentReviewRow = {
  readonly pull_id: string
  readonly agent_id: string
  readonly head_sha: Oid
  readonly state: 'queued' | 'done' | 'failed'
  readonly taken: number
  readonly reason: string | null
  readonly state_at: Timestamp
}

export const findAgentReview = (db: Db, pull_id: string): AgentReviewRow | null =>
  db.one<AgentReviewRow>('SELECT * FROM agent_reviews WHERE pull_id = ?', pull_id)

export const findReviewOfAgent = (db: Db, agent_id: string): AgentReviewRow | null =>
  db.one<AgentReviewRow>('SELECT * FROM agent_reviews WHERE agent_id = ?', agent_id)

/** Takes a head up. */
export const putAgentReview = (
  tx: Tx,
  row: Pick<AgentReviewRow, 'pull_id' | 'agent_id' | 'head_sha'>,
): void =>
  void tx.db.run(
    `INSERT INTO agent_reviews (pull_id, agent_id, head_sha, state, state_at)
     VALUES (?, ?, ?, 'queued', ?)
     ON CONFLICT DO UPDATE SET agent_id = excluded.agent_id, head_sha = excluded.head_sha,
       state = 'queued', taken = taken + 1, reason = NULL, state_at = excluded.state_at`,
    row.pull_id,
    row.agent_id,
    row.head_sha,
    tx.now,
  )

/** Ends the review of a head. Does nothing when a newer one was pushed. */
export const endAgentReview = (
  tx: Tx,
  { pull_id, head_sha }: Pick<AgentReviewRow, 'pull_id' | 'head_sha'>,
  state: 'done' | 'failed',
  reason: string | null = null,
): boolean =>
  tx.db.run(
    `UPDATE agent_reviews SET state = ?, reason = ?, state_at = ?
     WHERE pull_id = ? AND head_sha = ? AND state = 'queued'`,
    state,
    reason,
    tx.now,
    pull_id,
    head_sha,
  ) > 0

/** How many pull requests of a repository had a head taken up since a time. */
export const countReviewsSince = (db: Db, repo_id: string, since: Timestamp): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM pulls p JOIN agent_reviews r ON r.pull_id = p.id
     WHERE p.repo_id = ? AND r.state_at >= ?`,
    repo_id,
    since,
  )?.count ?? 0
