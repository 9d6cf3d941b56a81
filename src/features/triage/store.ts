/** The tables `issue_triages` and `triage_proposals`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { TriageProposal } from './schema.ts'

export type TriageKey = { readonly repo_id: string; readonly number: number }

export type TriageRow = TriageKey & {
  readonly status: 'waiting' | 'done' | 'failed'
  readonly taken: number
  readonly outside: 0 | 1
  readonly actor_id: string | null
  readonly error_code: string | null
  readonly error_message: string | null
  readonly cost: number | null
  readonly taken_at: Timestamp
  readonly ended_at: Timestamp | null
}

export type ProposalRow = TriageKey & {
  readonly id: TriageProposal['id']
  readonly kind: TriageProposal['kind']
  readonly value: string
  readonly reason: string
  readonly state: TriageProposal['state']
  readonly decided_by: string | null
  readonly decided_at: Timestamp | null
}

export const findTriage = (db: Db, { repo_id, number }: TriageKey): TriageRow | null =>
  db.one<TriageRow>('SELECT * FROM issue_triages WHERE repo_id = ? AND number = ?', repo_id, number)

/** Takes an issue up. Proposals of an earlier time that nobody decided on are gone. */
export function takeUp(tx: Tx, { repo_id, number }: TriageKey, outside: boolean): void {
  tx.db.run(
    `INSERT INTO issue_triages (repo_id, number, status, outside, taken_at)
     VALUES (?, ?, 'waiting', ?, ?)
     ON CONFLICT DO UPDATE SET status = 'waiting', taken = taken + 1, outside = excluded.outside,
       error_code = NULL, error_message = NULL, taken_at = excluded.taken_at, ended_at = NULL`,
    repo_id,
    number,
    outside ? 1 : 0,
    tx.now,
  )
  tx.db.run(
    `DELETE FROM triage_proposals WHERE repo_id = ? AND number = ? AND state = 'open'`,
    repo_id,
    number,
  )
}

/** How many issues of a repository were taken up since a time, of all authors and of outside. */
export const countTaken = (
  db: Db,
  repo_id: string,
  since: Timestamp,
): { readonly all: number; readonly outside: number } =>
  db.one<{ all: number; outside: number }>(
    `SELECT count(*) AS "all", coalesce(sum(outside), 0) AS outside FROM issue_triages
     WHERE repo_id = ? AND taken_at >= ?`,
    repo_id,
    since,
  ) ?? { all: 0, outside: 0 }

export const addTriageCost = (tx: Tx, { repo_id, number }: TriageKey, cost: number): void =>
  void tx.db.run(
    `UPDATE issue_triages SET cost = coalesce(cost, 0) + ? WHERE repo_id = ? AND number = ?`,
    cost,
    repo_id,
    number,
  )

export const setTriageActor = (tx: Tx, { repo_id, number }: TriageKey, actor_id: string): void =>
  void tx.db.run(
    'UPDATE issue_triages SET actor_id = ? WHERE repo_id = ? AND number = ?',
    actor_id,
    repo_id,
    number,
  )

/** Ends a triage that waits. False when another time has ended it, or begun it anew. */
export const endTriage = (
  tx: Tx,
  { repo_id, number, taken }: Pick<TriageRow, 'repo_id' | 'number' | 'taken'>,
  error: { readonly code: string; readonly message: string } | null,
): boolean =>
  tx.db.run(
    `UPDATE issue_triages SET status = ?, error_code = ?, error_message = ?, ended_at = ?
     WHERE repo_id = ? AND number = ? AND taken = ? AND status = 'waiting'`,
    error === null ? 'done' : 'failed',
    error?.code ?? null,
    error?.message ?? null,
    tx.now,
    repo_id,
    number,
    taken,
  ) > 0

export const listProposals = (db: Db, { repo_id, number }: TriageKey): ProposalRow[] =>
  db.all<ProposalRow>(
    'SELECT * FROM triage_proposals WHERE repo_id = ? AND number = ? ORDER BY id',
    repo_id,
    number,
  )

export const insertProposal = (tx: Tx, row: Omit<ProposalRow, 'decided_by' | 'decided_at'>): void =>
  void tx.db.run(
    `INSERT INTO triage_proposals (id, repo_id, number, kind, value, reason, state, decided_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.number,
    row.kind,
    row.value,
    row.reason,
    row.state,
    row.state === 'applied' ? tx.now : null,
  )

export const setDecided = (
  tx: Tx,
  id: string,
  state: 'accepted' | 'dismissed',
  decided_by: string,
): void =>
  void tx.db.run(
    'UPDATE triage_proposals SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?',
    state,
    decided_by,
    tx.now,
    id,
  )

export const removeTriagesOfRepo = (tx: Tx, repo_id: string, limit: number): number =>
  tx.db.run(
    `DELETE FROM issue_triages WHERE (repo_id, number) IN (
       SELECT repo_id, number FROM issue_triages WHERE repo_id = ? LIMIT ?)`,
    repo_id,
    limit,
  )
