/**
 * Who is asking, from a token or a cookie. Every request asks the table anew (a few microseconds),
 * so a revoked token or a suspended account is refused at the very next request; a cache would have
 * to be told of each.
 *
 * The time of the last use is noted at most once a minute, after the answer: the look-up itself
 * writes nothing.
 */
import type { Caller, TokenFacts, UserCaller } from '#core/caller.ts'
import type { CallerPort, Hearth } from '#core/hearth.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp, type Timestamp } from '#lib/time.ts'
import { asCaller } from './people.ts'
import { findSignIn, setSignInUsed } from './store-sign-ins.ts'
import { findUserById } from './store.ts'
import {
  findTokenCaller,
  listTokenRepoRows,
  setTokenUsed,
  type TokenCallerRow,
} from './store-tokens.ts'
import { isTokenSecret, scopesOf } from './tokens.ts'
import { SIGN_IN_MS } from './sign-ins.ts'

const DEVICE_TOKEN_MS = 365 * DAY

export function callers(
  hearth: Pick<Hearth, 'db' | 'database' | 'writer' | 'clock' | 'log'>,
): CallerPort {
  const noting = new Set<string>()
  const note = (
    id: string,
    last_used_at: string | null,
    write: (now: Timestamp, now_ms: number) => void,
  ): void => {
    const now_ms = hearth.clock.now()
    if (noting.has(id) || (last_used_at !== null && Date.parse(last_used_at) > now_ms - MINUTE))
      return
    noting.add(id)
    hearth.writer
      .write(() => write(timestamp(now_ms), now_ms))
      .catch((error: unknown) =>
        hearth.log.warn('the last use of a token or sign-in was not noted', { id, error }),
      )
      .finally(() => noting.delete(id))
  }

  const facts = (row: TokenCallerRow): TokenFacts => {
    const repos = row.some_repos === 0 ? null : listTokenRepoRows(hearth.db, row.id)
    return {
      id: row.id,
      name: row.name,
      kind: row.kind,
      scopes: scopesOf(row),
      repos: repos && repos.map(({ id }) => id),
      // An agent belongs where its repository is, wherever that was moved.
      workspace:
        row.workspace_id ?? (row.kind === 'agent' ? (repos?.[0]?.workspace_id ?? null) : null),
      role: row.role,
      expires_at: row.expires_at,
      audience: row.audience,
    }
  }

  return {
    byToken(secret) {
      if (!isTokenSecret(secret)) return null
      const row = findTokenCaller(hearth.db, sha256(secret))
      if (!row || (row.expires_at !== null && Date.parse(row.expires_at) <= hearth.clock.now()))
        return null
      const caller = tokenCaller(row, facts(row))
      if (caller)
        note(row.id, row.last_used_at, (now, now_ms) =>
          setTokenUsed(hearth.database, row.id, now, timestamp(now_ms + DEVICE_TOKEN_MS)),
        )
      return caller
    },

    bySignIn(secret): UserCaller | null {
      const row = findSignIn(hearth.db, sha256(secret))
      if (!row || Date.parse(row.expires_at) <= hearth.clock.now()) return null
      const user = findUserById(hearth.db, row.user_id)
      if (!user) return null
      note(row.id, row.last_used_at, (now, now_ms) =>
        setSignInUsed(hearth.database, row.id, now, timestamp(now_ms + SIGN_IN_MS)),
      )
      return asCaller(user, { token: null, sign_in: row.id })
    },
  }
}

function tokenCaller(row: TokenCallerRow, token: TokenFacts): Caller | null {
  switch (row.kind) {
    case 'user':
      return {
        kind: 'user',
        id: row.actor_id,
        username: row.username,
        verified: row.verified_at !== null,
        suspended: row.suspended_at !== null,
        site_admin: row.site_admin === 1,
        token,
        sign_in: null,
      }
    case 'workspace':
      return { kind: 'workspace', id: row.actor_id, username: row.username, token }
    case 'agent': {
      const repo_id = token.repos?.[0]
      // An agent ends with the person it acts for, and is nothing outside its repository.
      if (
        row.owner_id === null ||
        row.owner_username === null ||
        row.suspended_at !== null ||
        repo_id === undefined
      )
        return null
      return {
        kind: 'agent',
        id: row.actor_id,
        username: row.username,
        repo_id,
        owner_id: row.owner_id,
        owner_username: row.owner_username,
        token,
      }
    }
  }
}
