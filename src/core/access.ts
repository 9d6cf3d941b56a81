/**
 * Access control in one place. An operation declares a rule. `decide` checks the rule against the
 * caller and the facts of the target, in a fixed order, and returns a grant or throws a Refusal. A
 * handler gets its repository or workspace from the grant only, so an operation without a rule has
 * nothing to act on.
 *
 * The order matters: no error tells anything about a target before the caller is known to see it.
 *
 * The facts are already within the limits of the caller's token (`RepoFacts`, `WorkspaceFacts`). No
 * code outside of this file applies these limits, and none can forget them.
 */
import { conflict, departed, forbidden, Moved, notFound, Refusal } from '#lib/errors.ts'
import {
  higherRole,
  lowerRole,
  reaches,
  type AgentCaller,
  type Caller,
  type Role,
  type SignedIn,
  type TokenFacts,
  type UserCaller,
} from './caller.ts'
import { SECOND } from '#lib/time.ts'
import { missingScope } from './scopes.ts'

export type WorkspaceRole = 'member' | 'owner'

/**
 * Marks facts that are within the limits of the caller's token. Only `limitRepoFacts` and
 * `limitWorkspaceFacts` add it, so the type checker refuses facts that were not limited.
 */
declare const limited: unique symbol
type Limited = { readonly [limited]: true }

/** The facts of one repository, with the roles that the account of the caller has in it. */
export type AccountRepoFacts = {
  readonly id: string
  readonly full_name: string
  readonly name: string
  readonly workspace_id: string
  readonly workspace: string
  readonly private: boolean
  readonly archived: boolean
  readonly deleted: boolean
  /** From ownership, membership and grants. `decide` adds what is public. */
  readonly role: Role | null
  readonly workspace_role: WorkspaceRole | null
  readonly default_branch: string
  /** The object store, which forks share. A pull request's fork has a parent and a number. */
  readonly store: string
  readonly parent_id: string | null
  readonly pull_number: number | null
  /** Whether the workspace requires two-factor sign-in and the caller has none. */
  readonly two_factor_missing: boolean
}

/** The facts of one repository and of the caller's roles in it, within the limits of the token. */
export type RepoFacts = AccountRepoFacts & Limited

/** The facts of one workspace, with the role that the account of the caller has in it. */
export type AccountWorkspaceFacts = {
  readonly id: string
  readonly slug: string
  readonly role: WorkspaceRole | null
  readonly two_factor_missing: boolean
}

/** The facts of one workspace and of the caller's role in it, within the limits of the token. */
export type WorkspaceFacts = AccountWorkspaceFacts & Limited

/** The facts of one package, with the roles that the account of the caller has. */
export type AccountPackageFacts = {
  /** Null when no package has the name. */
  readonly id: string | null
  readonly type: string
  readonly name: string
  readonly workspace_id: string
  readonly workspace: string
  readonly workspace_role: WorkspaceRole | null
  readonly private: boolean
  readonly deleted: boolean
  /** From the workspace, the linked repository and grants. `decide` adds what is public. */
  readonly role: Role | null
  /** The linked repository. */
  readonly repo_id: string | null
  /** Whether the linked repository is archived. */
  readonly archived: boolean
  /** Whether the caller may create packages, and the repository to which they are linked at once. */
  readonly creation: { readonly repo_id: string | null } | null
  readonly two_factor_missing: boolean
}

/** The facts of one package and of the caller's role in it, within the limits of the token. */
export type PackageFacts = AccountPackageFacts & Limited

export type PackageTarget = {
  readonly workspace: string
  readonly package_type: string
  readonly package_name: string
}

/**
 * Finds the facts of targets, within the limits of the caller's token. The features implement it;
 * `app.ts` connects them.
 */
export type FactsPort = {
  repo(path: string, caller: Caller): RepoFacts | null
  /** The current full name of the repository that once had this name; null when none had. */
  moved(path: string): string | null
  workspace(slug: string, caller: Caller): WorkspaceFacts | null
  /** The address of a workspace that another forge serves now; null for all others. */
  departed(slug: string): string | null
  /** Whether a person is in a team that works on the security findings of a workspace. */
  isSecurityManager(workspace_id: string, person_id: string): boolean
  /** Whether a person is invited to work on an advisory of a repository. */
  isInvitedToAdvisory(repo_id: string, advisory_id: string, person_id: string): boolean
  /** Null for an unknown workspace or type. */
  package(target: PackageTarget, caller: Caller): PackageFacts | null
}

export type Rule = {
  readonly target: 'none' | 'repo' | 'workspace' | 'either' | 'package'
  /** False admits anonymous callers to public targets. */
  readonly account: boolean
  readonly person: boolean
  readonly siteAdmin: boolean
  readonly writes: boolean
  readonly least: Role
  readonly workspaceLeast: WorkspaceRole
  /** Required standing in the repository's workspace: member (merge) or owner (delete, transfer). */
  readonly member: WorkspaceRole | null
  /** Scopes that a limited token needs, separated by spaces. */
  readonly scope: string | null
  /** The scopes when the target is a workspace, if they differ from those of a repository. */
  readonly workspaceScope: string | null
  /** A scope of tokens of jobs that admits as `scope` does. The operation limits what it may do. */
  readonly jobScope: string | null
  readonly whileArchived: boolean
  readonly whileDeleted: boolean
  /** Whether the package may be one that the call creates. */
  readonly creates: boolean
  readonly whileUnconfirmed: boolean
  /** Whether members without the required second factor may call it. */
  readonly whileTwoFactorMissing: boolean
  /** Whether security managers of the workspace may call it without the role. */
  readonly securityManager: boolean
  /**
   * Whether the call names an advisory (`id`), and only people who work on it may call: admins,
   * security managers and those who are invited to it. The role counts for nothing else.
   */
  readonly advisoryWork: boolean
}

/** A rule with the type of its grant. */
export type Access<Grant> = Rule & { readonly __grant?: Grant }

type RuleOptions = {
  scope?: string
  person?: boolean
  whileUnconfirmed?: boolean
  whileTwoFactorMissing?: boolean
}
type RepoRuleOptions = RuleOptions & {
  whileArchived?: boolean
  whileDeleted?: boolean
  member?: WorkspaceRole
  securityManager?: boolean
  advisoryWork?: boolean
  jobScope?: string
}

const defaults: Rule = {
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
  jobScope: null,
  whileArchived: false,
  whileDeleted: false,
  creates: false,
  whileUnconfirmed: false,
  whileTwoFactorMissing: false,
  securityManager: false,
  advisoryWork: false,
}

export type RepoGrant = RepoFacts & {
  /** The caller's role, at least read on a public repository. */
  readonly role: Role
  /** Throws the 403 of the rule when the caller's role is lower. For rules that depend on input. */
  require(least: Role): void
  readonly can: (least: Role) => boolean
  /** Whether the caller counts as a security manager here. */
  readonly isSecurityManager: () => boolean
  /** Whether the caller is a person who works on this advisory of the repository. */
  readonly worksOnAdvisory: (id: string) => boolean
}

export type PackageGrant = PackageFacts & {
  /** The caller's role, at least read on a public package; write on one that is created. */
  readonly role: Role
  readonly can: (least: Role) => boolean
}

export type WorkspaceGrant = WorkspaceFacts & {
  readonly role: WorkspaceRole
  require(least: WorkspaceRole): void
}

/** Anyone. There is no target, or the handler filters by what the caller can see. */
export const publicRead = (options: { scope?: string } = {}): Access<{ caller: Caller }> => ({
  ...defaults,
  account: false,
  ...options,
})

/** Anyone, for changes that create or prove an identity (signing in, device codes). */
export const publicWrite = (): Access<{ caller: Caller }> => ({
  ...defaults,
  account: false,
  writes: true,
  whileUnconfirmed: true,
})

/** Any token or sign-in. */
export const signedIn = (
  options: RuleOptions & { writes?: boolean } = {},
): Access<{ caller: SignedIn }> => ({ ...defaults, ...options })

/** A person with their own token or sign-in. Agents and workspaces are refused. */
export const personOnly = (
  options: RuleOptions & { writes?: boolean } = {},
): Access<{ caller: UserCaller }> => ({ ...defaults, person: true, ...options })

export const readsRepo = (
  options: RepoRuleOptions = {},
): Access<{ caller: Caller; repo: RepoGrant }> => ({
  ...defaults,
  target: 'repo',
  account: false,
  ...options,
})

/** Reads that need a role (collaborators, drafts), and therefore an account. */
export const readsRepoAs = (
  least: Role,
  options: RepoRuleOptions = {},
): Access<{ caller: SignedIn; repo: RepoGrant }> => ({
  ...defaults,
  target: 'repo',
  least,
  ...options,
})

export const writesRepo = (
  least: Role,
  options: RepoRuleOptions = {},
): Access<{ caller: SignedIn; repo: RepoGrant }> => ({
  ...defaults,
  target: 'repo',
  least,
  writes: true,
  ...options,
})

/** Anyone who sees the repository, also without an account: for what is told in private. */
export const anyoneWritesRepo = (): Access<{ caller: Caller; repo: RepoGrant }> => ({
  ...defaults,
  target: 'repo',
  account: false,
  writes: true,
})

export const writesRepoAsPerson = (
  least: Role,
  options: RepoRuleOptions = {},
): Access<{ caller: UserCaller; repo: RepoGrant }> => ({
  ...defaults,
  target: 'repo',
  least,
  writes: true,
  person: true,
  ...options,
})

export const readsWorkspace = (
  options: RuleOptions = {},
): Access<{ caller: SignedIn; workspace: WorkspaceGrant }> => ({
  ...defaults,
  target: 'workspace',
  ...options,
})

export const writesWorkspace = (
  workspaceLeast: WorkspaceRole,
  options: RuleOptions = {},
): Access<{ caller: SignedIn; workspace: WorkspaceGrant }> => ({
  ...defaults,
  target: 'workspace',
  workspaceLeast,
  writes: true,
  ...options,
})

export const writesWorkspaceAsPerson = (
  workspaceLeast: WorkspaceRole,
  options: RuleOptions = {},
): Access<{ caller: UserCaller; workspace: WorkspaceGrant }> => ({
  ...defaults,
  target: 'workspace',
  workspaceLeast,
  writes: true,
  person: true,
  ...options,
})

/** For records of a repository or a workspace (hooks, rulesets, variables): admin or owner. */
export const eitherAs = (
  least: Role,
  workspaceLeast: WorkspaceRole,
  options: RuleOptions & {
    writes?: boolean
    workspaceScope?: string
    securityManager?: boolean
  } = {},
): Access<{ caller: SignedIn; repo: RepoGrant | null; workspace: WorkspaceGrant | null }> => ({
  ...defaults,
  target: 'either',
  least,
  workspaceLeast,
  ...options,
})

type PackageRuleOptions = { whileDeleted?: boolean; whileArchived?: boolean }

export const readsPackage = (
  options: PackageRuleOptions = {},
): Access<{ caller: Caller; package: PackageGrant }> => ({
  ...defaults,
  target: 'package',
  account: false,
  scope: 'packages:read',
  ...options,
})

/** Reads that need a role (who has access, what retention deletes), and therefore an account. */
export const readsPackageAs = (
  least: Role,
  options: PackageRuleOptions = {},
): Access<{ caller: SignedIn; package: PackageGrant }> => ({
  ...defaults,
  target: 'package',
  least,
  scope: least === 'admin' ? 'packages:admin' : 'packages:read',
  ...options,
})

/** Deleting and whatever else destroys needs a scope of its own. */
export const writesPackage = (
  least: 'write' | 'admin',
  options: PackageRuleOptions & {
    scope?: 'packages:write' | 'packages:admin'
    person?: boolean
  } = {},
): Access<{ caller: SignedIn; package: PackageGrant }> => ({
  ...defaults,
  target: 'package',
  least,
  writes: true,
  scope: least === 'admin' ? 'packages:admin' : 'packages:write',
  ...options,
})

/** Write on a package that exists; else the right to create packages in the workspace. */
export const createsPackage = (): Access<{ caller: SignedIn; package: PackageGrant }> => ({
  ...defaults,
  target: 'package',
  least: 'write',
  writes: true,
  creates: true,
  scope: 'packages:write',
})

export const siteAdmin = (
  options: RuleOptions & { writes?: boolean } = {},
): Access<{ caller: UserCaller }> => ({
  ...defaults,
  person: true,
  siteAdmin: true,
  scope: 'site:admin',
  ...options,
})

/** How often a call that waits or streams checks that its caller still has the right to it. */
export const RIGHTS_INTERVAL_MS = 3 * SECOND

export type Grant = {
  caller: Caller
  repo: RepoGrant | null
  workspace: WorkspaceGrant | null
  package: PackageGrant | null
}

/** The target as the client named it. It may not exist. */
export type Target = {
  readonly repo?: unknown
  readonly workspace?: unknown
  /** The advisory of a rule with `advisoryWork`. */
  readonly id?: unknown
  readonly package_type?: unknown
  readonly package_name?: unknown
}

const requireName = (value: unknown, field: string, form: string): string => {
  if (typeof value !== 'string' || value === '')
    throw new Refusal('invalid', `${field} is required, as ${form}`, { field })
  return value
}

/**
 * Decides one call. Throws a Refusal: 401, 403, 404 (`Moved` for a former name of a repository), or
 * 422 without a target.
 */
export function decide(rule: Rule, caller: Caller, target: Target, facts: FactsPort): Grant {
  requireCaller(rule, caller)
  if (rule.target === 'none') {
    requireStanding(rule, caller)
    return { caller, repo: null, workspace: null, package: null }
  }
  if (rule.target === 'package') {
    const named = {
      workspace: requireName(target.workspace, 'workspace', 'a slug'),
      package_type: requireName(target.package_type, 'package_type', 'the type of a registry'),
      package_name: requireName(target.package_name, 'package_name', 'a name'),
    }
    const granted = packageGrant(rule, caller, named, facts)
    return { caller, repo: null, workspace: null, package: granted }
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
      package: null,
      workspace: workspaceGrant(
        rule,
        caller,
        requireName(target.workspace, 'workspace', 'a slug'),
        facts,
      ),
    }
  }
  return {
    caller,
    repo: repoGrant(rule, caller, target, facts),
    workspace: null,
    package: null,
  }
}

/** Whether the kind and scopes of the caller allow the operation at all. For lists of tools. */
export function mayEverCall(rule: Rule, caller: Caller): boolean {
  try {
    requireCaller(rule, caller)
  } catch {
    return false
  }
  const scopes = caller.kind === 'anonymous' ? null : (caller.token?.scopes ?? null)
  return (
    missingScope(scopes, rule.scope) === null ||
    hasJobScope(rule, scopes) ||
    (rule.workspaceScope !== null && missingScope(scopes, rule.workspaceScope) === null)
  )
}

/** What `mayEverCall` depends on: callers with the same text have the same result for every rule. */
export function standingKey(caller: Caller): string {
  if (caller.kind === 'anonymous') return caller.kind
  const scopes = caller.token?.scopes ?? null
  const ofPerson = caller.kind === 'user' ? [caller.suspended, caller.site_admin] : []
  return JSON.stringify([caller.kind, scopes === null ? null : [...scopes].sort(), ...ofPerson])
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

const hasJobScope = ({ jobScope }: Rule, scopes: readonly string[] | null): boolean =>
  jobScope !== null && (scopes?.includes(jobScope) ?? false)

/** The checks of every target: the scopes of the token, and the confirmed address. */
function requireStanding(rule: Rule, caller: Caller, wanted: string | null = rule.scope): void {
  if (caller.kind === 'anonymous') return
  const scopes = caller.token?.scopes ?? null
  const scope = hasJobScope(rule, scopes) ? null : missingScope(scopes, wanted)
  const isDeployKey = caller.kind === 'workspace' && caller.token.id.startsWith('key_')
  if (isDeployKey && scope === 'code:write')
    throw forbidden('scope', 'this deploy key may only read: add a key that may push', { scope })
  if (scope !== null) throw forbidden('scope', `this token lacks the scope ${scope}`, { scope })
  if (rule.writes && !rule.whileUnconfirmed && caller.kind === 'user' && !caller.verified) {
    throw forbidden(
      'email_unconfirmed',
      'confirm your email address first: open the link in your mail, or ask an administrator for one',
    )
  }
}

const tokenOf = (caller: Caller): TokenFacts | null =>
  caller.kind === 'anonymous' ? null : caller.token

const reachesRepo = (token: TokenFacts, { id, parent_id, workspace_id }: AccountRepoFacts) =>
  (token.repos === null ||
    token.repos.includes(id) ||
    (parent_id !== null && token.repos.includes(parent_id))) &&
  (token.workspace === null || token.workspace === workspace_id)

/** Whether it is a person, whose token reaches the repository with the role write. */
function mayWorkOnFindings(facts: AccountRepoFacts, caller: Caller): caller is UserCaller {
  if (caller.kind !== 'user') return false
  const { token } = caller
  return token === null || (reachesRepo(token, facts) && reaches(token.role ?? 'admin', 'write'))
}

/**
 * Whether a person works on the security findings of a repository through a team of its workspace.
 */
const isSecurityManager = (facts: AccountRepoFacts, caller: Caller, port: FactsPort): boolean =>
  mayWorkOnFindings(facts, caller) && port.isSecurityManager(facts.workspace_id, caller.id)

/** Whether a person works on an advisory. Agents and tokens of workspaces never do. */
function worksOnAdvisory(facts: RepoFacts, caller: Caller, port: FactsPort, id: unknown): boolean {
  if (typeof id !== 'string' || !mayWorkOnFindings(facts, caller)) return false
  return (
    reaches(facts.role, 'admin') ||
    port.isSecurityManager(facts.workspace_id, caller.id) ||
    port.isInvitedToAdvisory(facts.id, id, caller.id)
  )
}

/** A token below the role admin never acts as an owner. */
const limitOwner = (role: WorkspaceRole | null, token: TokenFacts): WorkspaceRole | null =>
  role === 'owner' && !reaches(token.role ?? 'admin', 'admin') ? 'member' : role

/**
 * The facts within the limits of the caller's token: no roles outside of its repositories and
 * workspace, and none above its own role.
 */
export function limitRepoFacts(facts: AccountRepoFacts, caller: Caller): RepoFacts {
  const token = tokenOf(caller)
  if (token === null) return facts as RepoFacts
  if (!reachesRepo(token, facts)) return { ...facts, role: null, workspace_role: null } as RepoFacts
  if (token.role === null) return facts as RepoFacts
  return {
    ...facts,
    role: lowerRole(facts.role, token.role),
    workspace_role: limitOwner(facts.workspace_role, token),
  } as RepoFacts
}

/**
 * The facts within the limits of the caller's token: no role in another workspace, and at most
 * member for a token that is limited to repositories, because an owner reaches all of them.
 */
export function limitWorkspaceFacts(facts: AccountWorkspaceFacts, caller: Caller): WorkspaceFacts {
  const token = tokenOf(caller)
  if (token === null) return facts as WorkspaceFacts
  if (token.workspace !== null && token.workspace !== facts.id)
    return { ...facts, role: null } as WorkspaceFacts
  const role = limitOwner(facts.role, token)
  return {
    ...facts,
    role: token.repos !== null && role === 'owner' ? 'member' : role,
  } as WorkspaceFacts
}

/**
 * The facts within the limits of the caller's token. A token that is limited to repositories reaches
 * the packages that are linked to them.
 */
export function limitPackageFacts(facts: AccountPackageFacts, caller: Caller): PackageFacts {
  const token = tokenOf(caller)
  if (token === null) return facts as PackageFacts
  if (token.workspace !== null && token.workspace !== facts.workspace_id)
    return { ...facts, role: null, workspace_role: null, creation: null } as PackageFacts
  const reachesLink = (repo_id: string | null): boolean =>
    token.repos === null || (repo_id !== null && token.repos.includes(repo_id))
  const isWriter = reaches(token.role ?? 'admin', 'write')
  return {
    ...facts,
    role: reachesLink(facts.repo_id) ? lowerRole(facts.role, token.role ?? 'admin') : null,
    workspace_role: limitOwner(facts.workspace_role, token),
    creation:
      facts.creation !== null && isWriter && reachesLink(facts.creation.repo_id)
        ? facts.creation
        : null,
  } as PackageFacts
}

const isOwnRepository = (facts: RepoFacts | null, caller: AgentCaller): boolean =>
  facts !== null && (facts.id === caller.repo_id || facts.parent_id === caller.repo_id)

function repoGrant(rule: Rule, caller: Caller, target: Target, port: FactsPort): RepoGrant {
  const path = requireName(target.repo, 'repo', '<owner>/<name>')
  const named = port.repo(path, caller)
  const isUsable = named !== null && (!named.deleted || rule.whileDeleted)
  const moved = isUsable ? null : port.moved(path)
  // A former name has the rules of its repository, so it tells nothing to those who cannot see it.
  const facts = moved === null ? named : port.repo(moved, caller)
  const isPublic = facts !== null && !facts.private && !facts.deleted
  if (caller.kind === 'agent' && !isOwnRepository(facts, caller) && (rule.writes || !isPublic)) {
    throw forbidden(
      'agent_outside_repository',
      'an agent may act only in the repository that its token was made for',
    )
  }
  if (facts === null || (facts.deleted && (moved !== null || !rule.whileDeleted)))
    throw notFound(`the repository ${path}`)
  const isManager = (): boolean => isSecurityManager(facts, caller, port)
  const ownRole = higherRole(facts.role, isPublic ? 'read' : null)
  const role =
    ownRole ?? (rule.securityManager && !facts.deleted && isManager() ? ('read' as const) : null)
  if (role === null || (facts.deleted && facts.workspace_role !== 'owner'))
    throw notFound(`the repository ${path}`)
  if ((facts.private || rule.advisoryWork) && facts.two_factor_missing)
    throw secondFactorMissing(facts.workspace)
  requireHere(facts.workspace, port)
  if (moved !== null) throw new Moved(path, moved)
  requireStanding(rule, caller)
  const worksOn = (id: unknown): boolean => worksOnAdvisory(facts, caller, port, id)
  if (rule.advisoryWork && !worksOn(target.id))
    throw notFound(`the advisory ${String(target.id).slice(0, 100)}`)
  const require = (least: Role): void => {
    if (!reaches(role, least))
      throw forbidden(
        'role',
        `this needs the role ${least} on ${facts.full_name}; yours is ${role}`,
      )
  }
  if (!(rule.securityManager && !reaches(role, rule.least) && isManager())) require(rule.least)
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
  return {
    ...facts,
    role,
    require,
    can: (least) => reaches(role, least),
    isSecurityManager: isManager,
    worksOnAdvisory: worksOn,
  }
}

function workspaceGrant(rule: Rule, caller: Caller, slug: string, port: FactsPort): WorkspaceGrant {
  if (caller.kind === 'agent' && rule.writes) {
    throw forbidden(
      'agent_outside_repository',
      'an agent may act only in the repository that its token was made for',
    )
  }
  const facts = port.workspace(slug, caller)
  const role = facts?.role ?? null
  if (facts === null || role === null) throw notFound(`the workspace ${slug}`)
  requireHere(facts.slug, port)
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

/** What a caller hears of a package that does not exist for them. One answer for every name. */
const missingPackage = ({ package_type, package_name }: PackageTarget): Refusal =>
  notFound(`the ${package_type} package ${package_name.slice(0, 200)}`)

/** The grant of a call that creates a package. Throws 409 for a name that is taken. */
function creationGrant(
  rule: Rule,
  caller: Caller,
  facts: PackageFacts,
  target: PackageTarget,
): PackageGrant {
  if (facts.creation === null) {
    if (caller.kind === 'agent')
      throw forbidden(
        'agent_outside_repository',
        'an agent may publish only to packages that are linked to its repository',
      )
    if (facts.workspace_role === null) throw missingPackage(target)
    throw forbidden('role', `you may not create packages in the workspace ${facts.workspace}`)
  }
  requireStanding(rule, caller)
  if (facts.two_factor_missing) throw secondFactorMissing(facts.workspace)
  if (facts.id !== null)
    throw conflict(
      'already_exists',
      `the name ${facts.name} is taken in the workspace ${facts.workspace}: choose another, or ask an owner`,
    )
  return { ...facts, role: 'write', can: (least) => reaches('write', least) }
}

function requireCurrentSlug(current: string, given: string): void {
  if (current !== given.toLowerCase()) throw new Moved(given, current)
}

/** Throws 404 with the address of a workspace that another forge serves now. */
function requireHere(workspace: string, port: FactsPort): void {
  const address = port.departed(workspace)
  if (address !== null) throw departed(workspace, address)
}

const secondFactorMissing = (workspace: string): Refusal =>
  forbidden(
    'two_factor_required',
    `the workspace ${workspace} requires two-factor sign-in: turn it on in your settings`,
  )

function packageGrant(
  rule: Rule,
  caller: Caller,
  target: PackageTarget,
  port: FactsPort,
): PackageGrant {
  const facts = port.package(target, caller)
  if (facts === null) throw missingPackage(target)
  const isPublic = !facts.private && !facts.deleted
  const role = facts.id === null ? null : higherRole(facts.role, isPublic ? 'read' : null)
  if (role !== null || (rule.creates && facts.creation !== null)) {
    requireHere(facts.workspace, port)
    requireCurrentSlug(facts.workspace, target.workspace)
  }
  if (role === null) {
    if (rule.creates) return creationGrant(rule, caller, facts, target)
    throw missingPackage(target)
  }
  if (facts.deleted && !reaches(role, 'admin')) {
    if (rule.creates && facts.creation !== null) return creationGrant(rule, caller, facts, target)
    throw missingPackage(target)
  }
  if (facts.private && facts.two_factor_missing) throw secondFactorMissing(facts.workspace)
  requireStanding(rule, caller)
  if (facts.deleted && !rule.whileDeleted) {
    if (rule.creates)
      throw conflict('already_exists', `${facts.name} is deleted: restore it before you publish`)
    throw missingPackage(target)
  }
  if (!reaches(role, rule.least))
    throw forbidden(
      'role',
      `this needs the role ${rule.least} on the package ${facts.name}; yours is ${role}`,
    )
  if (rule.writes && facts.archived && !rule.whileArchived)
    throw forbidden('archived', `${facts.name} is linked to an archived repository and read-only`)
  return { ...facts, role, can: (least) => reaches(role, least) }
}
