/**
 * Access tokens. The secret is `hthu_`, `hthw_` or `htha_` (by kind), 40 random letters and digits,
 * and six more that are the CRC-32 of what stands before, so that a scanner tells ours from
 * look-alikes. It is shown once; the table has its SHA-256.
 */
import type { Role } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { checksum62, randomBase62, sha256 } from '#lib/hash.ts'
import { typeId } from '#lib/typeid.ts'
import type { Timestamp } from '#lib/time.ts'
import type { Token, TokenSource } from './schema.ts'
import { findActor } from './store-actors.ts'
import { insertToken, listTokenRepoNames, type TokenRepo, type TokenRow } from './store-tokens.ts'

const PREFIX = { user: 'hthu_', workspace: 'hthw_', agent: 'htha_' } as const
const FORM = /^hth[uwa]_[0-9A-Za-z]{46}$/
const CHECKED = 45

/**
 * Whether a text has the form of a secret of ours, its check digits included; nothing else is worth
 * a look-up.
 */
export const isTokenSecret = (text: string): boolean =>
  FORM.test(text) && checksum62(text.slice(0, CHECKED)) === text.slice(CHECKED)

export type NewTokenOptions = {
  /** Whom the token stands for: a person, a workspace or an agent. */
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
  /** For an agent's: the pull request that it is for. */
  pull_number?: number | null
  expires_at: Timestamp | null
  /** The interface that it is for; all of them unless said. */
  audience?: TokenRow['audience']
  /** Who made it; the actor itself unless said. */
  created_by?: string
}

export function issueToken(tx: Tx, options: NewTokenOptions): { token: TokenRow; secret: string } {
  const start = PREFIX[options.kind] + randomBase62(40)
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
  tx.audit({
    action: 'token.created',
    target: { kind: 'token', id: token.id, name: token.name },
    workspace_id: workspaceOf(token, options.repos ?? []),
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
  return { token, secret }
}

/**
 * Whose audit log a token belongs in besides the site's: an agent's is its repository's
 * workspace's.
 */
export const workspaceOf = (
  token: Pick<TokenRow, 'kind' | 'workspace_id'>,
  repos: readonly TokenRepo[],
): string | null =>
  token.workspace_id ?? (token.kind === 'agent' ? (repos[0]?.workspace_id ?? null) : null)

export const scopesOf = (row: Pick<TokenRow, 'scopes'>): string[] | null =>
  row.scopes === null ? null : (JSON.parse(row.scopes) as string[])

export const tokenRecord = ({ db }: Pick<Hearth, 'db'>, row: TokenRow): Token => ({
  id: row.id,
  name: row.name,
  kind: row.kind,
  source: row.source,
  scopes: scopesOf(row),
  repos: row.some_repos === 0 ? null : listTokenRepoNames(db, row.id),
  workspace:
    row.workspace_id === null ? null : (findActor(db, row.workspace_id)?.username ?? 'ghost'),
  role: row.role,
  last_four: row.last_four,
  created_at: row.created_at,
  last_used_at: row.last_used_at,
  expires_at: row.expires_at,
})
