/**
 * Finds the caller behind a token or a sign-in cookie. Rows are memoised until the next commit only
 * (`core/read-scope.ts`), so a revoked token or a suspended account is refused at the next request.
 *
 * The time of last use is recorded at most once a minute, after the response. The look-up itself
 * writes nothing.
 */
import type { Caller, TokenFacts, UserCaller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { CallerPort, Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { sha256 } from '#lib/hash.ts'
import { DAY, MINUTE, timestamp, type Timestamp } from '#lib/time.ts'
import { userCallerOf } from '../people/people.ts'
import { findSignIn, setSignInUsed } from '../store/sign-ins.ts'
import { findUserById } from '../store/users.ts'
import {
  findTokenCaller,
  findTokenCallerById,
  listTokenRepoRows,
  setTokenUsed,
  type TokenCallerRow,
} from '../store/tokens.ts'
import { isTokenSecret, parseScopes } from '../tokens/tokens.ts'
import { SIGN_IN_LIFETIME_MS } from './sign-ins.ts'

const DEVICE_TOKEN_LIFETIME_MS = 365 * DAY

type LookupContext = Pick<Hearth, 'db' | 'database' | 'writer' | 'clock' | 'log'>

class CallerLookup implements Omit<CallerPort, 'bySshKey'> {
  /** Ids of tokens and sign-ins whose last use is being written. */
  readonly #recording = new Set<string>()

  constructor(private readonly hearth: LookupContext) {}

  byToken(secret: string): Caller | null {
    if (!isTokenSecret(secret)) return null
    const { db } = this.hearth
    return readScope(db, () => this.#ofToken(findTokenCaller(db, sha256(secret))))
  }

  byCredential(id: string): Caller | null {
    return this.#ofToken(findTokenCallerById(this.hearth.db, id))
  }

  #ofToken(row: TokenCallerRow | null): Caller | null {
    const { db, database, clock } = this.hearth
    if (!row || (row.expires_at !== null && Date.parse(row.expires_at) <= clock.now())) return null
    const caller = tokenCaller(row, tokenFacts(db, row))
    if (caller)
      this.#recordUse(row.id, row.last_used_at, (now, now_ms) =>
        setTokenUsed(database, row.id, now, timestamp(now_ms + DEVICE_TOKEN_LIFETIME_MS)),
      )
    return caller
  }

  bySignIn(secret: string): UserCaller | null {
    const { db, database, clock } = this.hearth
    const [row, user] = readScope(db, () => {
      const found = findSignIn(db, sha256(secret))
      return [found, found && findUserById(db, found.user_id)]
    })
    if (!row || !user || Date.parse(row.expires_at) <= clock.now()) return null
    this.#recordUse(row.id, row.last_used_at, (now, now_ms) =>
      setSignInUsed(database, row.id, now, timestamp(now_ms + SIGN_IN_LIFETIME_MS)),
    )
    return userCallerOf(user, { token: null, sign_in: row.id })
  }

  #recordUse(
    id: string,
    last_used_at: string | null,
    write: (now: Timestamp, now_ms: number) => void,
  ): void {
    const { clock, log, writer } = this.hearth
    const now_ms = clock.now()
    const isRecent = last_used_at !== null && Date.parse(last_used_at) > now_ms - MINUTE
    if (isRecent || this.#recording.has(id)) return
    this.#recording.add(id)
    writer
      .write(() => write(timestamp(now_ms), now_ms))
      .catch((error: unknown) =>
        log.warn('the last use of a token or sign-in was not recorded', { id, error }),
      )
      .finally(() => this.#recording.delete(id))
  }
}

/** The callers of tokens and sign-ins. Those of SSH keys are the feature `keys`'. */
export const createCallerLookup = (hearth: LookupContext): Omit<CallerPort, 'bySshKey'> =>
  new CallerLookup(hearth)

function tokenFacts(db: Db, row: TokenCallerRow): TokenFacts {
  const repos = row.some_repos === 0 ? null : listTokenRepoRows(db, row.id)
  return {
    id: row.id,
    name: row.name,
    kind: row.kind,
    scopes: parseScopes(row),
    repos: repos?.map(({ id }) => id) ?? null,
    // An agent belongs to the current workspace of its repository, also after a transfer.
    workspace:
      row.workspace_id ?? (row.kind === 'agent' ? (repos?.[0]?.workspace_id ?? null) : null),
    role: row.role,
    expires_at: row.expires_at,
    audience: row.audience,
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
      // An agent needs an active owner and a repository. Without either it is no caller.
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
