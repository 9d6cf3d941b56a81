/**
 * Access tokens. A secret is `hthu_`, `hthw_` or `htha_` (by kind), 40 random letters and digits,
 * and their CRC-32 as six more, so that a scanner can tell it from a look-alike. The secret is
 * shown once; the table has its SHA-256.
 */
import type { Role } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { checksum62, randomBase62, sha256 } from '#lib/hash.ts'
import { typeId } from '#core/ids.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Token, TokenSource } from '../schema.ts'
import { findActor } from '../store/actors.ts'
import { insertToken, listTokenRepoNames, type TokenRepo, type TokenRow } from '../store/tokens.ts'

const SECRET_PREFIX = { user: 'hthu_', workspace: 'hthw_', agent: 'htha_' } as const
const SECRET_PATTERN = /^hth[uwa]_[0-9A-Za-z]{46}$/
const CHECKED_LENGTH = 45

/**
 * Whether a text has the format of a token secret with a valid checksum. Other texts are not looked
 * up.
 */
export const isTokenSecret = (text: string): boolean =>
  SECRET_PATTERN.test(text) &&
  checksum62(text.slice(0, CHECKED_LENGTH)) === text.slice(CHECKED_LENGTH)

export type NewTokenOptions = {
  /** The actor that the token authenticates: a user, a workspace or an agent. */
  actor_id: string
  kind: TokenRow['kind']
  name: string
  source: TokenSource
  /** Null for full rights. */
  scopes: readonly string[] | null
  /** Null for no limit. */
  repos: readonly TokenRepo[] | null
  workspace_id: string | null
  role: Role | null
  /** For an agent: the pull request that it works on. */
  pull_number?: number | null
  expires_at: Timestamp | null
  /** The interface that the token is valid for. Default: all. */
  audience?: TokenRow['audience']
  /** The creator. Default: the actor itself. */
  created_by?: string
}

export function issueToken(tx: Tx, options: NewTokenOptions): { token: TokenRow; secret: string } {
  const start = SECRET_PREFIX[options.kind] + randomBase62(40)
  const secret = start + checksum62(start)
  const token: TokenRow = {
    id: typeId('tok', tx.now_ms),
    last_four: secret.slice(-4),
    actor_id: options.actor_id,
    kind: options.kind,
    name: options.name,
    source: options.source,
    scopes: options.scopes === null ? null : JSON.stringify([...new Set(options.scopes)]),
    some_repos: options.repos === null ? 0 : 1,
    workspace_id: options.workspace_id,
    role: options.role,
    pull_number: options.pull_number ?? null,
    created_by: options.created_by ?? options.actor_id,
    created_at: tx.now,
    last_used_at: null,
    expires_at: options.expires_at,
    audience: options.audience ?? null,
  }
  insertToken(tx.db, token, sha256(secret), options.repos ?? [])
  // The run of a job is the record of its token.
  if (token.source !== 'workflow') auditToken(tx, token, options)
  return { token, secret }
}

function auditToken(tx: Tx, token: TokenRow, options: NewTokenOptions): void {
  tx.audit({
    action: 'token.created',
    target: { kind: 'token', id: token.id, name: token.name },
    workspace_id: auditWorkspaceOf(token, options.repos ?? []),
    data: {
      after: {
        kind: token.kind,
        source: token.source,
        actor_id: token.actor_id,
        scopes: options.scopes,
        repos: options.repos?.map(({ id }) => id) ?? null,
        role: token.role,
        expires_at: token.expires_at,
        audience: token.audience,
      },
    },
  })
}

/**
 * The workspace whose audit log records a token. For an agent it is the workspace of its
 * repository.
 */
export const auditWorkspaceOf = (
  token: Pick<TokenRow, 'kind' | 'workspace_id'>,
  repos: readonly TokenRepo[],
): string | null =>
  token.workspace_id ?? (token.kind === 'agent' ? (repos[0]?.workspace_id ?? null) : null)

export const parseScopes = (row: Pick<TokenRow, 'scopes'>): string[] | null =>
  row.scopes === null ? null : (JSON.parse(row.scopes) as string[])

export const tokenRecord = ({ db }: Pick<Hearth, 'db'>, row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  source: row.source,
  scopes: parseScopes(row),
  repos: row.some_repos === 0 ? null : listTokenRepoNames(db, row.id),
  workspace:
    row.workspace_id === null ? null : (findActor(db, row.workspace_id)?.username ?? 'ghost'),
  role: row.role,
  last_four: row.last_four,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
  expires_at: row.expires_at,
})
