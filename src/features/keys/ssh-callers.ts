/** The callers of SSH keys. */
import type { SignedIn, TokenFacts } from '#core/caller.ts'
import type { Hearth, SshCaller } from '#core/hearth.ts'
import { userCaller } from '#features/accounts/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { MINUTE, timestamp } from '#lib/time.ts'
import {
  findDeployKey,
  findDeployKeyByFingerprint,
  setDeployKeyUsed,
  type DeployKeyRow,
} from './store-deploy-keys.ts'
import { findKey, findKeyByFingerprint, setKeyUsed, type KeyRow } from './store.ts'

/** A key reaches code and nothing else, as a token with these scopes does. */
const scopesOf = ({ read_only }: { readonly read_only: 0 | 1 }): string[] =>
  read_only === 1 ? ['code:read'] : ['code:read', 'code:write']

const NO_LIMITS = { repos: null, workspace: null, role: null, expires_at: null } as const

function callerOfPerson({ db }: Hearth, row: KeyRow): SignedIn | null {
  const user = row.usage === 'signing' ? null : userCaller(db, row.user_id)
  if (!user || user.suspended) return null
  const token: TokenFacts = {
    ...NO_LIMITS,
    id: row.id,
    name: row.title,
    kind: 'user',
    scopes: scopesOf(row),
  }
  return { ...user, token }
}

/** A deploy key acts as a token of the workspace that reaches one repository. */
function callerOfMachine({ db }: Hearth, row: DeployKeyRow): SignedIn | null {
  const repo = repoById(db, row.repo_id)
  if (!repo || repo.deleted_at !== null) return null
  const [slug = ''] = fullNameOf(db, repo).split('/')
  const token: TokenFacts = {
    ...NO_LIMITS,
    id: row.id,
    name: row.title,
    kind: 'workspace',
    scopes: scopesOf(row),
    repos: [repo.id],
    workspace: repo.workspace_id,
    role: row.read_only === 1 ? 'read' : 'write',
  }
  return { kind: 'workspace', id: repo.workspace_id, username: slug, token }
}

/** The key of a fingerprint with its caller; null for one that lets nobody in. */
export function findSshCaller(hearth: Hearth, fingerprint: string): SshCaller | null {
  const { db } = hearth
  const key = findKeyByFingerprint(db, fingerprint)
  if (key) {
    const caller = callerOfPerson(hearth, key)
    return caller && { id: key.id, key: key.key, caller, repo: null }
  }
  const machine = findDeployKeyByFingerprint(db, fingerprint)
  const caller = machine && callerOfMachine(hearth, machine)
  const repo = machine && repoById(db, machine.repo_id)
  return machine && caller && repo
    ? { id: machine.id, key: machine.key, caller, repo: fullNameOf(db, repo) }
    : null
}

/** The caller of a key that has signed in, and records when; null when the key is gone. */
export function findKeyCaller(hearth: Hearth, id: string): SignedIn | null {
  const { db } = hearth
  const key = findKey(db, id)
  const machine = key ? null : findDeployKey(db, id)
  const caller = key ? callerOfPerson(hearth, key) : machine && callerOfMachine(hearth, machine)
  const row = key ?? machine
  if (caller && row) recordUse(hearth, row, key ? setKeyUsed : setDeployKeyUsed)
  return caller
}

/** At most once a minute. */
function recordUse(
  { clock, database, writer, log }: Hearth,
  { id, last_used_at }: Pick<KeyRow, 'id' | 'last_used_at'>,
  set: typeof setKeyUsed,
): void {
  const now = clock.now()
  if (last_used_at !== null && Date.parse(last_used_at) > now - MINUTE) return
  writer
    .write(() => set(database, id, timestamp(now)))
    .catch((error: unknown) => log.warn('the last use of a key was not recorded', { id, error }))
}
