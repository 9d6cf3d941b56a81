/** The tables `agent_runs`, `agent_turns`, `agent_calls` and `agent_files`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { RunState } from './schema.ts'

export type AgentRunRow = {
  readonly agent_id: string
  readonly repo_id: string
  readonly pull_id: string
  readonly issue: number
  readonly task: string
  readonly state: RunState
  readonly turns: number
  readonly revisions: number
  readonly refused: number
  readonly reason: string | null
  /** Whether it has been given what is remembered, at its beginning. */
  readonly has_memories: 0 | 1
  readonly state_at: Timestamp
  /** The program that does the work; null is the loop of this process. */
  readonly program: string | null
  readonly acp_session: string | null
  readonly prompted: number
  readonly prompted_head: string | null
}

export const findRun = (db: Db, agent_id: string): AgentRunRow | null =>
  db.one<AgentRunRow>('SELECT * FROM agent_runs WHERE agent_id = ?', agent_id)

export const findRunOfPull = (db: Db, pull_id: string): AgentRunRow | null =>
  db.one<AgentRunRow>('SELECT * FROM agent_runs WHERE pull_id = ?', pull_id)

/** The runs on an issue that have not ended. */
export const listActiveRunsOf = (db: Db, repo_id: string, issue: number): AgentRunRow[] =>
  db.all<AgentRunRow>(
    `SELECT * FROM agent_runs WHERE repo_id = ? AND issue = ?
     AND state NOT IN ('stopped', 'finished') ORDER BY agent_id`,
    repo_id,
    issue,
  )

/** How many queued runs have waited longer for a permit than this one. */
export const countQueuedBefore = (db: Db, { agent_id, state_at }: AgentRunRow): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM agent_runs
     WHERE state = 'queued' AND (state_at, agent_id) < (?, ?)`,
    state_at,
    agent_id,
  )?.count ?? 0

export const insertRun = (
  tx: Tx,
  row: Pick<AgentRunRow, 'agent_id' | 'repo_id' | 'pull_id' | 'issue' | 'task' | 'program'>,
): void =>
  void tx.db.run(
    `INSERT INTO agent_runs (agent_id, repo_id, pull_id, issue, task, program, state, state_at,
       has_memories)
     VALUES (?, ?, ?, ?, ?, ?, 'queued', ?, 0)`,
    row.agent_id,
    row.repo_id,
    row.pull_id,
    row.issue,
    row.task,
    row.program,
    tx.now,
  )

export const setRunState = (
  tx: Tx,
  agent_id: string,
  state: RunState,
  reason: string | null = null,
): void =>
  void tx.db.run(
    'UPDATE agent_runs SET state = ?, reason = ?, state_at = ? WHERE agent_id = ?',
    state,
    reason,
    tx.now,
    agent_id,
  )

export const countTurn = (tx: Tx, agent_id: string): void =>
  void tx.db.run('UPDATE agent_runs SET turns = turns + 1 WHERE agent_id = ?', agent_id)

export const countRevision = (tx: Tx, agent_id: string): void =>
  void tx.db.run(
    'UPDATE agent_runs SET revisions = revisions + 1, refused = 0 WHERE agent_id = ?',
    agent_id,
  )

export const countRefused = (tx: Tx, agent_id: string): void =>
  void tx.db.run('UPDATE agent_runs SET refused = refused + 1 WHERE agent_id = ?', agent_id)

/** A person has looked, so the counts begin anew. */
export const resetCounts = (tx: Tx, agent_id: string): void =>
  void tx.db.run(
    'UPDATE agent_runs SET revisions = 0, refused = 0, turns = 0 WHERE agent_id = ?',
    agent_id,
  )

export type TurnRow = {
  readonly seq: number
  readonly role: 'user' | 'model'
  readonly text: string
}

export const listTurns = (db: Db, agent_id: string): TurnRow[] =>
  db.all<TurnRow>(
    'SELECT seq, role, text FROM agent_turns WHERE agent_id = ? ORDER BY seq',
    agent_id,
  )

/** Adds a turn and returns its number. */
export function insertTurn(tx: Tx, agent_id: string, role: TurnRow['role'], text: string): number {
  const seq = lastTurnSeq(tx.db, agent_id) + 1
  tx.db.run(
    'INSERT INTO agent_turns (agent_id, seq, role, text) VALUES (?, ?, ?, ?)',
    agent_id,
    seq,
    role,
    text,
  )
  return seq
}

/** Puts what is remembered before the first turn; nothing where `text` is empty. */
export function setMemories(tx: Tx, agent_id: string, text: string): void {
  tx.db.run(
    'UPDATE agent_turns SET text = ? || text WHERE agent_id = ? AND seq = 1',
    text,
    agent_id,
  )
  tx.db.run('UPDATE agent_runs SET has_memories = 1 WHERE agent_id = ?', agent_id)
}

/** The number of the newest turn; 0 when there is none. */
export const lastTurnSeq = (db: Db, agent_id: string): number =>
  db.one<{ seq: number }>(
    'SELECT coalesce(max(seq), 0) AS seq FROM agent_turns WHERE agent_id = ?',
    agent_id,
  )?.seq ?? 0

/**
 * Moves messages that arrived while the model answered behind its answer, so that it reads them
 * next. `read` is the last turn that the model had read. Returns whether there were any.
 */
export function moveUnread(tx: Tx, agent_id: string, read: number, answer: number): boolean {
  const unread = listTurns(tx.db, agent_id).filter(
    ({ seq, role }) => role === 'user' && seq > read && seq < answer,
  )
  for (const { seq, text } of unread) {
    tx.db.run('DELETE FROM agent_turns WHERE agent_id = ? AND seq = ?', agent_id, seq)
    insertTurn(tx, agent_id, 'user', text)
  }
  return unread.length > 0
}

/** Whether the agent has a message that its model has not read. */
export const hasUnread = (db: Db, agent_id: string): boolean =>
  listTurns(db, agent_id).at(-1)?.role === 'user'

export type CallRow = {
  readonly agent_id: string
  readonly turn: number
  readonly position: number
  readonly call_id: string
  readonly tool: string
  /** JSON as the model wrote it. */
  readonly input: string
  readonly state: 'new' | 'started' | 'done'
  readonly result: string | null
}

export const listCalls = (db: Db, agent_id: string): CallRow[] =>
  db.all<CallRow>('SELECT * FROM agent_calls WHERE agent_id = ? ORDER BY turn, position', agent_id)

/** The next call that has no result. */
export const findOpenCall = (db: Db, agent_id: string): CallRow | null =>
  db.one<CallRow>(
    `SELECT * FROM agent_calls WHERE agent_id = ? AND state <> 'done'
     ORDER BY turn, position LIMIT 1`,
    agent_id,
  )

export const insertCall = (
  tx: Tx,
  call: Pick<CallRow, 'agent_id' | 'turn' | 'position' | 'call_id' | 'tool' | 'input'>,
): void =>
  void tx.db.run(
    `INSERT INTO agent_calls (agent_id, turn, position, call_id, tool, input, state)
     VALUES (?, ?, ?, ?, ?, ?, 'new')`,
    call.agent_id,
    call.turn,
    call.position,
    call.call_id,
    call.tool,
    call.input,
  )

export const setCallStarted = (tx: Tx, call: CallRow): void =>
  void tx.db.run(
    `UPDATE agent_calls SET state = 'started' WHERE agent_id = ? AND turn = ? AND position = ?`,
    call.agent_id,
    call.turn,
    call.position,
  )

export const setCallDone = (tx: Tx, call: CallRow, result: string): void =>
  void tx.db.run(
    `UPDATE agent_calls SET state = 'done', result = ?
     WHERE agent_id = ? AND turn = ? AND position = ?`,
    result,
    call.agent_id,
    call.turn,
    call.position,
  )

export const listFiles = (db: Db, agent_id: string): Map<string, Uint8Array | null> =>
  new Map(
    db
      .all<{ path: string; content: Uint8Array | null }>(
        'SELECT path, content FROM agent_files WHERE agent_id = ? ORDER BY path',
        agent_id,
      )
      .map(({ path, content }) => [path, content]),
  )

export const putFile = (tx: Tx, agent_id: string, path: string, content: Uint8Array | null): void =>
  void tx.db.run(
    `INSERT INTO agent_files (agent_id, path, content) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET content = excluded.content`,
    agent_id,
    path,
    content,
  )

export const removeFiles = (tx: Tx, agent_id: string): void =>
  void tx.db.run('DELETE FROM agent_files WHERE agent_id = ?', agent_id)
