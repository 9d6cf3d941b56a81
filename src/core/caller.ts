/**
 * The caller of an operation. The HTTP server creates it from a token or a website sign-in and
 * passes it on unchanged.
 */

export type Role = 'read' | 'triage' | 'write' | 'maintain' | 'admin'
export const ROLES: readonly Role[] = ['read', 'triage', 'write', 'maintain', 'admin']

/** Whether `role` is `least` or higher. No role (null) reaches nothing. */
export const reaches = (role: Role | null, least: Role): boolean =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(least)

export const higherRole = (a: Role | null, b: Role | null): Role | null =>
  a === null ? b : reaches(b, a) ? b : a
export const lowerRole = (a: Role | null, b: Role): Role | null =>
  a === null ? null : reaches(a, b) ? b : a

/** A token. Null for `scopes` and `repos` means no limit. `repos` and `workspace` hold ids. */
export type TokenFacts = {
  readonly id: string
  readonly name: string
  readonly kind: 'user' | 'workspace' | 'agent'
  readonly scopes: readonly string[] | null
  readonly repos: readonly string[] | null
  readonly workspace: string | null
  readonly role: Role | null
  readonly expires_at: string | null
  /** The only interface that accepts the token; null or absent for all interfaces. */
  readonly audience?: 'mcp' | 'api' | null
}

export type Anonymous = { readonly kind: 'anonymous' }

/** A person with a token of their own, or with a website sign-in (`token` is null). */
export type UserCaller = {
  readonly kind: 'user'
  readonly id: string
  readonly username: string
  readonly verified: boolean
  readonly suspended: boolean
  readonly site_admin: boolean
  readonly token: TokenFacts | null
  /** The id of the website sign-in (`sgn_`); null for a token. */
  readonly sign_in: string | null
}

export type WorkspaceCaller = {
  readonly kind: 'workspace'
  readonly id: string
  readonly username: string
  readonly token: TokenFacts
}

/** A software agent. It is bound to one repository and acts for the person who started it. */
export type AgentCaller = {
  readonly kind: 'agent'
  readonly id: string
  readonly username: string
  readonly repo_id: string
  readonly owner_id: string
  readonly owner_username: string
  readonly token: TokenFacts
}

export type SignedIn = UserCaller | WorkspaceCaller | AgentCaller
export type Caller = Anonymous | SignedIn

export const anonymous: Anonymous = { kind: 'anonymous' }

export const actorId = (caller: Caller): string | null =>
  caller.kind === 'anonymous' ? null : caller.id
