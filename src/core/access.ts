/**
 * Who may do what, decided in one place. An operation declares a rule; `decide` holds it against
 * the caller and the facts of what is addressed, in a fixed order, and gives a grant or throws a
 * Refusal. A handler gets its repository or workspace only from the grant, so an operation without
 * a rule has nothing to act on.
 *
 * The order matters: nothing about a resource is told before it is known that the caller may see
 * it.
 */
import { forbidden, Moved, notFound, Refusal } from '#lib/errors.ts'
import {
  higherRole,
  lowerRole,
  reaches,
  type AgentCaller,
  type Caller,
  type Role,
  type SignedIn,
  type UserCaller,
} from './caller.ts'
import { missingScope } from './scopes.ts'

export type WorkspaceRole = 'member' | 'owner'

/** What the repositories feature knows of one repository and of this caller's standing in it. */
export type RepoFacts = {
  readonly id: string
  readonly full_name: string
  readonly name: string
  readonly workspace_id: string
  readonly workspace: string
  readonly private: boolean
  readonly archived: boolean
  readonly deleted: boolean
  /**
   * From ownership, membership and grants; public visibility and the token's limits are applied
   * here.
   */
  readonly role: Role | null
  readonly workspace_role: WorkspaceRole | null
  readonly default_branch: string
  /**
   * The object store (the repository family), and for a pull request's fork its parent and number.
   */
  readonly store: string
  readonly parent_id: string | null
  readonly pull_number: number | null
  /** Whether two-factor sign-in is required by the workspace and missing for this caller. */
  readonly two_factor_missing: boolean
}

export type WorkspaceFacts = {
  readonly id: string
  readonly slug: string
  readonly role: WorkspaceRole | null
  readonly two_factor_missing: boolean
}

/** Answers of the features to the questions of access; wired in `app.ts`. */
export type FactsPort = {
  repo(path: string, caller: Caller): RepoFacts | null
  /** The full name now of the repository that had this one before; null when none had. */
  moved(path: string): string | null
  workspace(slug: string, caller: Caller): WorkspaceFacts | null
}

export type Rule = {
  readonly target: 'none' | 'repo' | 'workspace' | 'either'
  /** False: anonymous callers are let through to what is public. */
  readonly account: boolean
  readonly person: boolean
  readonly siteAdmin: boolean
  readonly writes: boolean
  readonly least: Role
  readonly workspaceLeast: WorkspaceRole
  /**
   * A rule of the repository's workspace on top of the role: membership (merge) or ownership
   * (delete, transfer).
   */
  readonly member: WorkspaceRole | null
  /** Scopes that a narrowed token needs, separated by spaces. */
  readonly scope: string | null
  /** The scopes where a workspace is addressed, when they are others than for a repository. */
  readonly workspaceScope: string | null
  readonly whileArchived: boolean
  readonly whileDeleted: boolean
  readonly whileUnconfirmed: boolean
  /** Open to members of a workspace who lack the second factor that it requires. */
  readonly whileTwoFactorMissing: boolean
}

/** A rule with the type of what it grants. */
export type Access<Grant> = Rule & { readonly __grant?: Grant }

type Common = {
  scope?: string
  person?: boolean
  whileUnconfirmed?: boolean
  whileTwoFactorMissing?: boolean
}
type OnRepo = Common & { whileArchived?: boolean; whileDeleted?: boolean; member?: WorkspaceRole }

const base: Rule = {
  target: 'none',
  account: true,
  person: false,
  siteAdmin: false,
  writes: false,
  least: 'read',
  workspaceLeast: 'member',
  member: null,
  scope: null,
  workspaceScope: null,
  whileArchived: false,
  whileDeleted: false,
  whileUnconfirmed: false,
  whileTwoFactorMissing: false,
}

export type RepoGrant = RepoFacts & {
  /** The caller's role after public visibility and the token's limits. */
  readonly role: Role
  /**
   * Gives the 403 of the rule's own step when the caller's role is lower; for rules that depend on
   * the input.
   */
  require(least: Role): void
  readonly can: (least: Role) => boolean
}

export type WorkspaceGrant = WorkspaceFacts & {
  readonly role: WorkspaceRole
  require(least: WorkspaceRole): void
}

/**
 * Anyone, signed in or not; nothing is addressed, or the handler filters by what the caller can
 * see.
 */
export const publicRead = (options: { scope?: string } = {}): Access<{ caller: Caller }> => ({
  ...base,
  account: false,
  ...options,
})

/**
 * Anyone, signed in or not, for changes that make or prove an identity (signing in, device codes).
 */
export const publicWrite = (): Access<{ caller: Caller }> => ({
  ...base,
  account: false,
  writes: true,
  whileUnconfirmed: true,
})

/** Any token or sign-in. */
export const signedIn = (
  options: Common & { writes?: boolean } = {},
): Access<{ caller: SignedIn }> => ({ ...base, ...options })

/** A person with their own token or sign-in; agents and workspaces are refused. */
export const personOnly = (
  options: Common & { writes?: boolean } = {},
): Access<{ caller: UserCaller }> => ({ ...base, person: true, ...options })

export const readsRepo = (options: OnRepo = {}): Access<{ caller: Caller; repo: RepoGrant }> => ({
  ...base,
  target: 'repo',
  account: false,
  ...options,
})

/** Reads what needs more than seeing the repository (collaborators, drafts), so an account too. */
export const readsRepoAs = (
  least: Role,
  options: OnRepo = {},
): Access<{ caller: SignedIn; repo: RepoGrant }> => ({
  ...base,
  target: 'repo',
  least,
  ...options,
})

export const writesRepo = (
  least: Role,
  options: OnRepo = {},
): Access<{ caller: SignedIn; repo: RepoGrant }> => ({
  ...base,
  target: 'repo',
  least,
  writes: true,
  ...options,
})

export const writesRepoAsPerson = (
  least: Role,
  options: OnRepo = {},
): Access<{ caller: UserCaller; repo: RepoGrant }> => ({
  ...base,
  target: 'repo',
  least,
  writes: true,
  person: true,
  ...options,
})

export const readsWorkspace = (
  options: Common = {},
): Access<{ caller: SignedIn; workspace: WorkspaceGrant }> => ({
  ...base,
  target: 'workspace',
  ...options,
})

export const writesWorkspace = (
  workspaceLeast: WorkspaceRole,
  options: Common = {},
): Access<{ caller: SignedIn; workspace: WorkspaceGrant }> => ({
  ...base,
  target: 'workspace',
  workspaceLeast,
  writes: true,
  ...options,
})

export const writesWorkspaceAsPerson = (
  workspaceLeast: WorkspaceRole,
  options: Common = {},
): Access<{ caller: UserCaller; workspace: WorkspaceGrant }> => ({
  ...base,
  target: 'workspace',
  workspaceLeast,
  writes: true,
  person: true,
  ...options,
})

/**
 * For records that a repository and a workspace both have (hooks, rulesets, variables): admin of
 * one, or owner of the other.
 */
export const eitherAs = (
  least: Role,
  workspaceLeast: WorkspaceRole,
  options: Common & { writes?: boolean; workspaceScope?: string } = {},
): Access<{ caller: SignedIn; repo: RepoGrant | null; workspace: WorkspaceGrant | null }> => ({
  ...base,
  target: 'either',
  least,
  workspaceLeast,
  ...options,
})

export const siteAdmin = (
  options: Common & { writes?: boolean } = {},
): Access<{ caller: UserCaller }> => ({
  ...base,
  person: true,
  siteAdmin: true,
  scope: 'site:admin',
  ...options,
})

export type Grant = { caller: Caller; repo: RepoGrant | null; workspace: WorkspaceGrant | null }

/** What is addressed: names as they came, not yet known to exist. */
export type Target = { readonly repo?: unknown; readonly workspace?: unknown }

const nameOf = (value: unknown, field: string, form: string): string => {
  if (typeof value !== 'string' || value === '')
    throw new Refusal('invalid', `${field} is required, as ${form}`, { field })
  return value
}

/**
 * Decides one call. Gives Refusals 401, 403, 404 (`Moved` for a name that a repository had before),
 * and 422 when no target is named.
 */
export function decide(rule: Rule, caller: Caller, target: Target, facts: FactsPort): Grant {
  requireCaller(rule, caller)
  if (rule.target === 'none') {
    requireStanding(rule, caller)
    return { caller, repo: null, workspace: null }
  }
  if (
    rule.target === 'either' &&
    (target.repo === undefined) === (target.workspace === undefined)
  ) {
    throw new Refusal('invalid', 'give exactly one of repo and workspace', { field: 'repo' })
  }
  if (rule.target === 'workspace' || (rule.target === 'either' && target.repo === undefined)) {
    return {
      caller,
      repo: null,
      workspace: workspaceGrant(
        rule,
        caller,
        nameOf(target.workspace, 'workspace', 'a slug'),
        facts,
      ),
    }
  }
  return {
    caller,
    repo: repoGrant(rule, caller, nameOf(target.repo, 'repo', '<owner>/<name>'), facts),
    workspace: null,
  }
}

/**
 * Whether the caller, as the kind of caller it is, may call this operation at all. Used to choose
 * which tools to list.
 */
export function mayEverCall(rule: Rule, caller: Caller): boolean {
  try {
    requireCaller(rule, caller)
  } catch {
    return false
  }
  const scopes = caller.kind === 'anonymous' ? null : (caller.token?.scopes ?? null)
  return (
    missingScope(scopes, rule.scope) === null ||
    (rule.workspaceScope !== null && missingScope(scopes, rule.workspaceScope) === null)
  )
}

function requireCaller(rule: Rule, caller: Caller): void {
  if (caller.kind === 'anonymous') {
    if (rule.account)
      throw new Refusal(
        'unauthenticated',
        'this needs an account: send a token as "Authorization: Bearer <token>"',
      )
    return
  }
  if (caller.kind === 'user' && caller.suspended)
    throw forbidden('suspended', 'this account is suspended')
  if (rule.person && caller.kind !== 'user') {
    throw forbidden(
      'person_required',
      `only a person may do this, not ${caller.kind === 'agent' ? 'an agent' : 'a workspace'}'s token`,
    )
  }
  if (rule.siteAdmin && !(caller.kind === 'user' && caller.site_admin))
    throw forbidden('role', 'only a site administrator may do this')
}

/** The steps that hold for every target: the token's scopes, and the confirmed address. */
function requireStanding(rule: Rule, caller: Caller, wanted: string | null = rule.scope): void {
  if (caller.kind === 'anonymous') return
  const scope = missingScope(caller.token?.scopes ?? null, wanted)
  if (scope !== null) throw forbidden('scope', `this token lacks the scope ${scope}`, { scope })
  if (rule.writes && !rule.whileUnconfirmed && caller.kind === 'user' && !caller.verified) {
    throw forbidden(
      'email_unconfirmed',
      'confirm your email address first: open the link that was mailed to you',
    )
  }
}

/**
 * The role that a token leaves of its account's: nothing outside its repositories or workspace,
 * never above its own role.
 */
export function limitedRole(facts: RepoFacts, caller: SignedIn): Role | null {
  const token = caller.token
  if (token === null) return facts.role
  const inside =
    (token.repos === null ||
      token.repos.includes(facts.id) ||
      (facts.parent_id !== null && token.repos.includes(facts.parent_id))) &&
    (token.workspace === null || token.workspace === facts.workspace_id)
  if (!inside) return null
  return token.role === null ? facts.role : lowerRole(facts.role, token.role)
}

/**
 * The standing that a token leaves of its account's in a workspace: none in another than its own,
 * and no ownership when it is limited to some repositories, because an owner reaches all of them.
 */
export function limitedWorkspaceRole(facts: WorkspaceFacts, caller: Caller): WorkspaceRole | null {
  const token = caller.kind === 'anonymous' ? null : caller.token
  if (token === null) return facts.role
  if (token.workspace !== null && token.workspace !== facts.id) return null
  return token.repos !== null && facts.role === 'owner' ? 'member' : facts.role
}

const isOwnRepository = (facts: RepoFacts | null, caller: AgentCaller): boolean =>
  facts !== null && (facts.id === caller.repo_id || facts.parent_id === caller.repo_id)

function repoGrant(rule: Rule, caller: Caller, path: string, port: FactsPort): RepoGrant {
  const there = port.repo(path, caller)
  const isThere = there !== null && (!there.deleted || rule.whileDeleted)
  const moved = isThere ? null : port.moved(path)
  // An old name is held to the rules of what it leads to, so that it tells nothing to those who may
  // not see that.
  const facts = moved === null ? there : port.repo(moved, caller)
  const visiblePublic = facts !== null && !facts.private && !facts.deleted
  if (
    caller.kind === 'agent' &&
    !isOwnRepository(facts, caller) &&
    (rule.writes || !visiblePublic)
  ) {
    throw forbidden(
      'agent_outside_repository',
      'an agent may act only in the repository that its token was made for',
    )
  }
  if (facts === null || (facts.deleted && (moved !== null || !rule.whileDeleted)))
    throw notFound(`the repository ${path}`)
  const own = caller.kind === 'anonymous' ? null : limitedRole(facts, caller)
  const role = higherRole(own, visiblePublic ? 'read' : null)
  if (role === null || (facts.deleted && facts.workspace_role !== 'owner'))
    throw notFound(`the repository ${path}`)
  if (facts.private && facts.two_factor_missing) {
    throw forbidden(
      'two_factor_required',
      `the workspace ${facts.workspace} requires two-factor sign-in: turn it on in your settings`,
    )
  }
  if (moved !== null) throw new Moved(path, moved)
  requireStanding(rule, caller)
  const require = (least: Role): void => {
    if (!reaches(role, least))
      throw forbidden(
        'role',
        `this needs the role ${least} on ${facts.full_name}; yours is ${role}`,
      )
  }
  require(rule.least)
  if (
    rule.member !== null &&
    !(facts.workspace_role === 'owner' || facts.workspace_role === rule.member)
  ) {
    throw forbidden(
      'role',
      `only ${rule.member === 'owner' ? 'an owner' : 'a member'} of the workspace ${facts.workspace} may do this`,
    )
  }
  if (rule.writes && facts.archived && !rule.whileArchived)
    throw forbidden('archived', `${facts.full_name} is archived and read-only`)
  return { ...facts, role, require, can: (least) => reaches(role, least) }
}

function workspaceGrant(rule: Rule, caller: Caller, slug: string, port: FactsPort): WorkspaceGrant {
  if (caller.kind === 'agent' && rule.writes) {
    throw forbidden(
      'agent_outside_repository',
      'an agent may act only in the repository that its token was made for',
    )
  }
  const facts = port.workspace(slug, caller)
  const role = facts && limitedWorkspaceRole(facts, caller)
  if (facts === null || role === null) throw notFound(`the workspace ${slug}`)
  if (facts.slug !== slug.toLowerCase()) throw new Moved(slug, facts.slug)
  if (facts.two_factor_missing && !rule.whileTwoFactorMissing) {
    throw forbidden(
      'two_factor_required',
      `the workspace ${slug} requires two-factor sign-in: turn it on in your settings`,
    )
  }
  requireStanding(rule, caller, rule.workspaceScope ?? rule.scope)
  const require = (least: WorkspaceRole): void => {
    if (least === 'owner' && role !== 'owner')
      throw forbidden('role', `only an owner of the workspace ${slug} may do this`)
  }
  require(rule.workspaceLeast)
  return { ...facts, role, require }
}
