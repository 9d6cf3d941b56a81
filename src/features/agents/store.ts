/**
 * The table `agents`. The agent's token determines when it was last seen and whether it can still
 * act.
 */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { AgentRole } from './schema.ts'

export type AgentRow = {
  id: string
  repo_id: string
  name: string
  owner_id: string
  pull_number: number | null
  role: AgentRole
  /** JSON. */
  scopes: string
  model: string | null
  max_usd: number | null
  cost_usd: number
  token_id: string
  last_four: string
  started_at: Timestamp
  expires_at: Timestamp
  last_seen_at: Timestamp | null
  ended_at: Timestamp | null
  ended_as: 'stopped' | 'finished' | null
  ended_by: string | null
  ended_reason: string | null
}

const SELECT = `SELECT a.id, a.repo_id, a.name, a.owner_id, a.pull_number, a.role, a.scopes,
  a.model, a.max_usd, a.cost_usd, a.token_id, a.last_four, a.started_at,
    a.expires_at, coalesce(t.last_used_at, a.last_seen_at) AS last_seen_at, a.ended_at,
    a.ended_as, a.ended_by, a.ended_reason
  FROM agents a LEFT JOIN tokens t ON t.id = a.token_id`

export const findAgent = (db: Db, id: string): AgentRow | null =>
  db.one<AgentRow>(`${SELECT} WHERE a.id = ?`, id)

export const findAgentOfToken = (db: Db, token_id: string): AgentRow | null =>
  db.one<AgentRow>(`${SELECT} WHERE a.token_id = ?`, token_id)

/** Newest first. */
export const listAgentsOfPull = (db: Db, repo_id: string, pull_number: number): AgentRow[] =>
  db.all<AgentRow>(
    `${SELECT} WHERE a.repo_id = ? AND a.pull_number = ? ORDER BY a.id DESC LIMIT 100`,
    repo_id,
    pull_number,
  )

/** Whether the token of an agent has ended, at the time `?2`. */
const HAS_ENDED = '(a.ended_at IS NOT NULL OR a.expires_at <= ?2 OR t.id IS NULL)'

/** Newest first, of one repository. `ended` is null for all of them. */
export const listAgentRows = (
  db: Db,
  repo_id: string,
  window: { now: Timestamp; ended: boolean | null; limit: number; offset: number },
): AgentRow[] =>
  db.all<AgentRow>(
    `${SELECT} WHERE a.repo_id = ?1 AND (?3 IS NULL OR ${HAS_ENDED} = ?3)
     ORDER BY a.id DESC LIMIT ?4 OFFSET ?5`,
    repo_id,
    window.now,
    window.ended === null ? null : Number(window.ended),
    window.limit,
    window.offset,
  )

/** Agents whose token is valid, optionally of one pull request. */
export const listRunningAgents = (
  db: Db,
  repo_id: string,
  now: Timestamp,
  pull_number: number | null = null,
): AgentRow[] =>
  db.all<AgentRow>(
    `${SELECT} WHERE a.repo_id = ?1 AND a.ended_at IS NULL AND a.expires_at > ?2 AND (?3 IS NULL
     OR a.pull_number = ?3) ORDER BY a.id DESC`,
    repo_id,
    now,
    pull_number,
  )

export const insertAgent = (
  tx: Tx,
  row: Omit<
    AgentRow,
    'cost_usd' | 'last_seen_at' | 'ended_at' | 'ended_as' | 'ended_by' | 'ended_reason'
  >,
): void =>
  void tx.db.run(
    `INSERT INTO agents (id, repo_id, name, owner_id, pull_number, role, scopes, model, max_usd,
     token_id, last_four, started_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.name,
    row.owner_id,
    row.pull_number,
    row.role,
    row.scopes,
    row.model,
    row.max_usd,
    row.token_id,
    row.last_four,
    row.started_at,
    row.expires_at,
  )

export const setAgentEnded = (
  tx: Tx,
  id: string,
  end: { as: 'stopped' | 'finished'; by: string | null; reason: string | null },
): void =>
  void tx.db.run(
    `UPDATE agents SET ended_at = ?, ended_as = ?, ended_by = ?, ended_reason = ? WHERE id = ?
     AND ended_at IS NULL`,
    tx.now,
    end.as,
    end.by,
    end.reason,
    id,
  )

export const setLastSeen = (tx: Tx, id: string, at: Timestamp | null): void =>
  void tx.db.run('UPDATE agents SET last_seen_at = coalesce(?, last_seen_at) WHERE id = ?', at, id)

export const addCost = (tx: Tx, id: string, cost_usd: number): void =>
  void tx.db.run('UPDATE agents SET cost_usd = cost_usd + ? WHERE id = ?', cost_usd, id)

/** How many entries back a session is searched for an agent's question. */
const MAX_LOOKBACK_ENTRIES = 1000

/**
 * Whether the last entry of an agent in one of its active pull requests is an unanswered question:
 * no later entry of the kind `answer` refers to it.
 */
export const isWaiting = (
  db: Db,
  agent: Pick<AgentRow, 'id' | 'repo_id' | 'pull_number'>,
): boolean =>
  db.one(
    `SELECT 1 FROM pulls p
     JOIN session_entries e ON e.pull_id = p.id AND e.seq = (
       SELECT max(l.seq) FROM session_entries l WHERE l.pull_id = p.id
       AND l.seq > p.session_entries - ?3 AND l.author_id = ?1)
     WHERE p.repo_id = ?2 AND p.active = 1 AND (p.author_id = ?1 OR p.number = ?4)
     AND e.kind = 'question' AND NOT EXISTS (
       SELECT 1 FROM session_entries x WHERE x.pull_id = p.id AND x.seq > e.seq
       AND x.kind = 'answer' AND json_extract(x.data, '$.of') = e.seq)`,
    agent.id,
    agent.repo_id,
    MAX_LOOKBACK_ENTRIES,
    agent.pull_number,
  ) !== null

/** The running agents in the repositories of a workspace, the newest first. */
export const listRunningAgentsIn = (db: Db, workspace_id: string, now: Timestamp): AgentRow[] =>
  db.all<AgentRow>(
    `${SELECT} WHERE a.repo_id IN (SELECT id FROM repos WHERE workspace_id = ? AND deleted_at IS NULL)
     AND a.ended_at IS NULL AND a.expires_at > ? ORDER BY a.id DESC`,
    workspace_id,
    now,
  )

/** What agents have cost that were started since a time. */
export const costOfAgentsSince = (db: Db, repos: readonly string[], since: Timestamp): number =>
  db.one<{ cost: number | null }>(
    `SELECT sum(cost_usd) AS cost FROM agents
     WHERE repo_id IN (SELECT value FROM json_each(?)) AND started_at >= ?`,
    JSON.stringify(repos),
    since,
  )?.cost ?? 0

/** The last thing that an agent did or said in the session of its pull request. */
export const findLastStep = (
  db: Db,
  agent: Pick<AgentRow, 'id' | 'repo_id' | 'pull_number'>,
): { tool: string | null; text: string; at: Timestamp } | null =>
  agent.pull_number === null
    ? null
    : db.one(
        `SELECT e.tool, e.text, e.at FROM pulls p JOIN session_entries e ON e.pull_id = p.id
         WHERE p.repo_id = ?1 AND p.number = ?2 AND e.author_id = ?3
         AND e.seq > p.session_entries - ?4 AND e.kind NOT IN ('result', 'usage')
         ORDER BY e.seq DESC LIMIT 1`,
        agent.repo_id,
        agent.pull_number,
        agent.id,
        MAX_LOOKBACK_ENTRIES,
      )
