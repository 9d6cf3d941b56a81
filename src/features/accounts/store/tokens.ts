/** The tables `tokens` and `token_repos`. */
import type { Role } from '#core/caller.ts'
import type { Db, WritableDb } from '#core/db.ts'
import { memo } from '#core/read-scope.ts'
import type { Timestamp } from '#lib/time.ts'
import type { TokenSource } from '../schema.ts'

export type TokenRow = {
  id: string
  last_four: string
  actor_id: string
  kind: 'user' | 'workspace' | 'agent'
  name: string
  source: TokenSource
  /** JSON, or null for full rights. */
  scopes: string | null
  some_repos: number
  workspace_id: string | null
  role: Role | null
  /** For an agent: the pull request that it was started for. */
  pull_number: number | null
  created_by: string | null
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  /** The interface that the token is valid for; null for all. */
  audience: 'mcp' | 'api' | null
}

const COLUMNS = `id, last_four, actor_id, kind, name, source, scopes, some_repos, workspace_id, role,
   pull_number, created_by, created_at, last_used_at, expires_at, audience`

/**
 * A token with the columns that describe its caller. `owner_*` and the following columns are of the
 * user: the account itself, or the owner of an agent.
 */
export type TokenCallerRow = TokenRow & {
  username: string
  owner_id: string | null
  owner_username: string | null
  site_admin: number | null
  suspended_at: string | null
  verified_at: string | null
}

const CALLERS = `SELECT t.*, a.username, o.id AS owner_id, o.username AS owner_username,
     u.site_admin, u.suspended_at, e.verified_at
     FROM tokens t JOIN actors a ON a.id = t.actor_id
     LEFT JOIN actors o ON o.id = a.on_behalf_of
     LEFT JOIN users u ON u.id = coalesce(a.on_behalf_of, a.id)
     LEFT JOIN emails e ON e.user_id = u.id AND e.is_primary = 1`

export const findTokenCaller = (db: Db, secret_hash: string): TokenCallerRow | null =>
  memo(db, 'token caller', secret_hash, () =>
    db.one<TokenCallerRow>(`${CALLERS} WHERE t.secret_hash = ?`, secret_hash),
  )

export const findTokenCallerById = (db: Db, id: string): TokenCallerRow | null =>
  db.one<TokenCallerRow>(`${CALLERS} WHERE t.id = ?`, id)

export const findToken = (db: Db, id: string): TokenRow | null =>
  db.one<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE id = ?`, id)

/** Newest first. */
export const listTokenRows = (
  db: Db,
  actor_id: string,
  window: { limit: number; offset: number },
): TokenRow[] =>
  db.all<TokenRow>(
    `SELECT ${COLUMNS} FROM tokens WHERE actor_id = ? ORDER BY id DESC LIMIT ? OFFSET ?`,
    actor_id,
    window.limit,
    window.offset,
  )

/** The tokens of a user and of the agents that act for the user. */
export const listTokensActingFor = (db: Db, user_id: string): string[] =>
  db
    .all<{ id: string }>(
      `SELECT id FROM tokens WHERE actor_id = ?1
       UNION SELECT t.id FROM actors a JOIN tokens t ON t.actor_id = a.id WHERE a.on_behalf_of = ?1`,
      user_id,
    )
    .map(({ id }) => id)

/** A repository that a token is limited to. */
export type TokenRepo = {
  readonly id: string
  readonly workspace_id: string
  readonly name: string
}

export const listTokenRepoRows = (db: Db, token_id: string): TokenRepo[] =>
  db.all<TokenRepo>(
    'SELECT repo_id AS id, workspace_id, name FROM token_repos WHERE token_id = ? ORDER BY repo_id',
    token_id,
  )

export const listTokenRepoNames = (db: Db, token_id: string): string[] =>
  db
    .all<{ full_name: string }>(
      `SELECT w.username || '/' || r.name AS full_name FROM token_repos r
       JOIN actors w ON w.id = r.workspace_id WHERE r.token_id = ? ORDER BY 1`,
      token_id,
    )
    .map(({ full_name }) => full_name)

export function insertToken(
  db: WritableDb,
  row: TokenRow,
  secret_hash: string,
  repos: readonly TokenRepo[],
): void {
  db.run(
    `INSERT INTO tokens (${COLUMNS}, secret_hash)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.last_four,
    row.actor_id,
    row.kind,
    row.name,
    row.source,
    row.scopes,
    row.some_repos,
    row.workspace_id,
    row.role,
    row.pull_number,
    row.created_by,
    row.created_at,
    row.last_used_at,
    row.expires_at,
    row.audience,
    secret_hash,
  )
  for (const repo of repos) {
    db.run(
      `INSERT OR IGNORE INTO token_repos (token_id, repo_id, workspace_id, name)
       VALUES (?, ?, ?, ?)`,
      row.id,
      repo.id,
      repo.workspace_id,
      repo.name,
    )
  }
}

export const findTokenBySecret = (db: Db, secret_hash: string): TokenRow | null =>
  db.one<TokenRow>(`SELECT ${COLUMNS} FROM tokens WHERE secret_hash = ?`, secret_hash)

/** Expired tokens of one source. */
export const listEndedTokens = (db: Db, source: TokenSource, now: Timestamp): TokenRow[] =>
  db.all<TokenRow>(
    `SELECT ${COLUMNS} FROM tokens WHERE source = ? AND expires_at <= ?`,
    source,
    now,
  )

/** Deletes tokens that expired before a time. Callers refuse them since then. */
export const removeTokensEndedBefore = (db: WritableDb, before: Timestamp, limit: number): number =>
  db.run(
    `DELETE FROM tokens WHERE id IN (SELECT id FROM tokens WHERE expires_at < ?
     AND source <> 'oauth' LIMIT ?)`,
    before,
    limit,
  )

export const setTokenEnd = (db: WritableDb, id: string, expires_at: Timestamp): void =>
  void db.run(
    'UPDATE tokens SET expires_at = ?2 WHERE id = ?1 AND (expires_at IS NULL OR expires_at > ?2)',
    id,
    expires_at,
  )

export const removeToken = (db: WritableDb, id: string): boolean =>
  db.run('DELETE FROM tokens WHERE id = ?', id) > 0

export const removeTokensOf = (db: WritableDb, actor_id: string): void =>
  void db.run('DELETE FROM tokens WHERE actor_id = ?', actor_id)

/** Records a use. A token of a device sign-in is extended to `device_until`. */
export const setTokenUsed = (
  db: WritableDb,
  id: string,
  now: Timestamp,
  device_until: Timestamp,
): void =>
  void db.run(
    `UPDATE tokens SET last_used_at = ?2, expires_at = CASE WHEN source = 'device'
     AND expires_at IS NOT NULL THEN ?3 ELSE expires_at END WHERE id = ?1`,
    id,
    now,
    device_until,
  )

export const setTokenRepoName = (
  db: WritableDb,
  repo_id: string,
  change: { name?: string; workspace_id?: string },
): void =>
  void db.run(
    `UPDATE token_repos SET name = coalesce(?, name), workspace_id = coalesce(?, workspace_id)
     WHERE repo_id = ?`,
    change.name ?? null,
    change.workspace_id ?? null,
    repo_id,
  )
