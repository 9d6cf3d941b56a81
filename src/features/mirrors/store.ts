/** SQL for the table `mirrors`. */
import type { Db } from '#core/db.ts'
import { memo, preload } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Timestamp } from '#lib/time.ts'
import type { MirrorSettings, MirrorState } from './schema.ts'

export type MirrorRow = {
  readonly id: string
  readonly repo_id: string
  readonly provider: string
  readonly role: 'leader' | 'follower'
  readonly name: string
  readonly url: string
  readonly secret: string | null
  /** The sealed private key, for addresses of SSH. */
  readonly ssh_key: string | null
  readonly ssh_public_key: string | null
  /** The fingerprint of the only host key that is accepted; null before the first contact. */
  readonly host_key: string | null
  readonly state: MirrorState
  readonly state_since: Timestamp
  readonly state_by: string | null
  readonly paused_from: MirrorState | null
  readonly epoch: number
  readonly reachable: number
  readonly reachable_since: Timestamp | null
  readonly unreachable_since: Timestamp | null
  readonly first_failed_at: Timestamp | null
  readonly probes_failed: number
  readonly probes_passed: number
  readonly setup_failures: number
  readonly checks_silent: number
  readonly checks_seen_at: Timestamp | null
  readonly probe_at: number
  readonly sync_at: number
  readonly synced_at: Timestamp | null
  readonly last_error: string | null
  readonly checks_problem: string | null
  /** A JSON array of messages. */
  readonly left_out: string
  /** A JSON object of ref to `ours` or `theirs`. */
  readonly resolve: string
  readonly notify: MirrorSettings['notify']
  readonly take_over_after: number | null
  readonly hand_back: MirrorSettings['hand_back']
  readonly keep_ci_warm: number
  readonly ext_workflows: number
  readonly hold_deploys: number
  readonly report_checks: number
  readonly remote_pushes: MirrorSettings['remote_pushes']
  readonly created_by: string
  readonly created_at: Timestamp
}

export const findMirror = (db: Db, id: string): MirrorRow | null =>
  db.one<MirrorRow>('SELECT * FROM mirrors WHERE id = ?', id)

export const listMirrors = (db: Db, repo_id: string): MirrorRow[] =>
  db.all<MirrorRow>('SELECT * FROM mirrors WHERE repo_id = ? ORDER BY id', repo_id)

/** The link whose remote leads, stands by to lead again or led before a takeover. */
export const findLeader = (db: Db, repo_id: string): MirrorRow | null =>
  memo(db, 'leading mirror', repo_id, () =>
    db.one<MirrorRow>(`SELECT * FROM mirrors WHERE repo_id = ? AND role = 'leader'`, repo_id),
  )

/** Preloads the leading links of these repositories. */
export const preloadLeaders = (db: Db, repo_ids: readonly string[]): void =>
  preload(
    db,
    'leading mirror',
    repo_ids,
    () => {
      const rows = db.all<MirrorRow>(
        `SELECT m.* FROM json_each(?) i JOIN mirrors m ON m.repo_id = i.value AND m.role = 'leader'`,
        JSON.stringify(repo_ids),
      )
      return new Map(rows.map((row) => [row.repo_id, row]))
    },
    () => null,
  )

export function insertMirror(
  tx: Tx,
  row: Pick<
    MirrorRow,
    'id' | 'repo_id' | 'provider' | 'role' | 'name' | 'url' | 'secret' | 'state' | 'state_by'
  >,
): void {
  tx.db.run(
    `INSERT INTO mirrors (id, repo_id, provider, role, name, url, secret, state, state_since, state_by, probe_at, sync_at, created_by, created_at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?11, ?10, ?9)`,
    row.id,
    row.repo_id,
    row.provider,
    row.role,
    row.name,
    row.url,
    row.secret,
    row.state,
    tx.now,
    row.state_by,
    tx.now_ms,
  )
}

/** What the state machine of a link stores. */
export const setLink = (
  tx: Tx,
  id: string,
  row: Pick<
    MirrorRow,
    | 'role'
    | 'state'
    | 'paused_from'
    | 'epoch'
    | 'reachable'
    | 'reachable_since'
    | 'unreachable_since'
    | 'first_failed_at'
    | 'probes_failed'
    | 'probes_passed'
    | 'setup_failures'
    | 'checks_silent'
  >,
): void =>
  void tx.db.run(
    `UPDATE mirrors SET role = ?, state = ?, paused_from = ?, epoch = ?, reachable = ?, reachable_since = ?, unreachable_since = ?,
       first_failed_at = ?, probes_failed = ?, probes_passed = ?, setup_failures = ?, checks_silent = ? WHERE id = ?`,
    row.role,
    row.state,
    row.paused_from,
    row.epoch,
    row.reachable,
    row.reachable_since,
    row.unreachable_since,
    row.first_failed_at,
    row.probes_failed,
    row.probes_passed,
    row.setup_failures,
    row.checks_silent,
    id,
  )

export const setStateChanged = (tx: Tx, id: string, state_by: string | null): void =>
  void tx.db.run(
    'UPDATE mirrors SET state_since = ?, state_by = ? WHERE id = ?',
    tx.now,
    state_by,
    id,
  )

export type MirrorChange = Partial<
  Pick<
    MirrorRow,
    | 'name'
    | 'url'
    | 'secret'
    | 'ssh_key'
    | 'ssh_public_key'
    | 'host_key'
    | 'epoch'
    | 'probe_at'
    | 'sync_at'
    | 'synced_at'
    | 'last_error'
    | 'checks_problem'
    | 'checks_seen_at'
    | 'left_out'
    | 'resolve'
    | 'notify'
    | 'take_over_after'
    | 'hand_back'
    | 'keep_ci_warm'
    | 'ext_workflows'
    | 'hold_deploys'
    | 'report_checks'
    | 'remote_pushes'
  >
>

/** Sets the given columns. The names come from the type, never from input. */
export function setMirror(tx: Tx, id: string, change: MirrorChange): void {
  const columns = Object.entries(change).filter(([, value]) => value !== undefined)
  if (columns.length === 0) return
  tx.db.run(
    `UPDATE mirrors SET ${columns.map(([name]) => `${name} = ?`).join(', ')} WHERE id = ?`,
    ...columns.map(([, value]) => value),
    id,
  )
}

export const removeMirror = (tx: Tx, id: string): void =>
  void tx.db.run('DELETE FROM mirrors WHERE id = ?', id)

const LIVE = `JOIN repos r ON r.id = m.repo_id AND r.deleted_at IS NULL AND r.archived_at IS NULL
  WHERE m.state NOT IN ('paused', 'failed')`

/** Links whose probe is due, the longest due first. */
export const listDueProbes = (db: Db, now_ms: number, limit: number): MirrorRow[] =>
  db.all<MirrorRow>(
    `SELECT m.* FROM mirrors m ${LIVE} AND m.probe_at <= ? ORDER BY m.probe_at LIMIT ?`,
    now_ms,
    limit,
  )

/** Followers of a repository, which get what was pushed. */
export const listFollowers = (db: Db, repo_id: string): MirrorRow[] =>
  db.all<MirrorRow>(`SELECT * FROM mirrors WHERE repo_id = ? AND role = 'follower'`, repo_id)

/** Members of a workspace with a confirmed address. */
export const listMemberAddresses = (
  db: Db,
  workspace_id: string,
  limit: number,
): { username: string; email: string }[] =>
  db.all(
    `SELECT a.username, e.email FROM members m JOIN users u ON u.id = m.user_id JOIN actors a ON a.id = u.id
       JOIN emails e ON e.user_id = u.id AND e.is_primary = 1 AND e.verified_at IS NOT NULL
     WHERE m.workspace_id = ? AND u.suspended_at IS NULL ORDER BY u.id LIMIT ?`,
    workspace_id,
    limit,
  )

/** Links whose sync is due. While the remote cannot be reached, none is. */
export const listDueSyncs = (db: Db, now_ms: number, limit: number): MirrorRow[] =>
  db.all<MirrorRow>(
    `SELECT m.* FROM mirrors m ${LIVE} AND m.state != 'handing_back'
       AND m.reachable = 1 AND m.sync_at <= ? ORDER BY m.sync_at LIMIT ?`,
    now_ms,
    limit,
  )

/** Numbers of pull requests that were merged since a time, the newest 100. */
export const listPullsMergedSince = (db: Db, repo_id: string, since: Timestamp): number[] =>
  db
    .all<{ number: number }>(
      `SELECT number FROM pulls WHERE repo_id = ? AND status = 'merged' AND merged_at >= ?
       ORDER BY number DESC LIMIT 100`,
      repo_id,
      since,
    )
    .map(({ number }) => number)
    .reverse()

/** Deployments that wait for approval. */
export const countHeldDeploys = (db: Db, repo_id: string): number =>
  db.one<{ count: number }>(
    `SELECT count(*) AS count FROM deployments WHERE repo_id = ? AND state = 'waiting' AND is_open = 1`,
    repo_id,
  )?.count ?? 0
