/**
 * Who may do what: every operation by every kind of caller, on a private, a public and an archived
 * repository, in one text that a person can read (`snapshots/access.txt`). A change of rights shows
 * up as a change of that file, and an operation without a line cannot exist, because the lines are
 * made from the list of operations.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  decide,
  limitPackageFacts,
  limitRepoFacts,
  limitWorkspaceFacts,
  type AccountPackageFacts,
  type AccountRepoFacts,
  type WorkspaceRole,
} from '#core/access.ts'
import {
  anonymous,
  type Caller,
  type Role,
  type TokenFacts,
  type UserCaller,
} from '#core/caller.ts'
import { SCOPES } from '#core/scopes.ts'
import { features } from '#features/index.ts'
import { archiveRoutes } from '#http/git/archive-routes.ts'
import { docsData } from '#http/rest/api-reference.ts'
import { ToolServer } from '#http/tools/tool-server.ts'
import { oauthRoutes } from '#http/oauth-routes.ts'
import { serviceRoutes } from '#http/service-routes.ts'
import { notFound, Refusal } from '#lib/errors.ts'
import { toAppearance } from '#web/appearance.ts'
import { siteMap } from '#web/index.ts'
import { emptyFormState, NoSuchPage, type Visit } from '#web/site.ts'
import { expectSnapshot } from './snapshot.ts'
import { makeWorld } from './world.ts'

/** A database that throws on every query. */
const unreadable = {
  one: () => {
    throw new Error('a page asked the database')
  },
  all: () => {
    throw new Error('a page asked the database')
  },
}

const token = (change: Partial<TokenFacts> = {}): TokenFacts => ({
  id: 'tok_1',
  name: 't',
  kind: 'user',
  scopes: null,
  repos: null,
  workspace: null,
  role: null,
  expires_at: null,
  ...change,
})
const user = (change: Partial<UserCaller> = {}): UserCaller => ({
  kind: 'user',
  id: 'usr_1',
  username: 'ada',
  verified: true,
  suspended: false,
  site_admin: false,
  token: token(),
  sign_in: null,
  ...change,
})

type Kind = {
  readonly caller: Caller
  readonly role: Role | null
  readonly workspace: WorkspaceRole | null
  readonly twoFactorMissing?: boolean
}

const member = (role: Role): Kind => ({ caller: user(), role, workspace: 'member' })

const limitedOwner = (change: Partial<TokenFacts>): Kind => ({
  caller: user({ token: token(change) }),
  role: 'admin',
  workspace: 'owner',
})

const workspaceKind = (change: Partial<TokenFacts>): Kind => ({
  caller: {
    kind: 'workspace',
    id: 'wsp_1',
    username: 'acme',
    token: token({
      kind: 'workspace',
      workspace: 'wsp_1',
      role: 'write',
      scopes: SCOPES.filter((scope) => !/^(access|user|site):/.test(scope)),
      ...change,
    }),
  },
  role: 'admin',
  workspace: 'member',
})

const KINDS: Readonly<Record<string, Kind>> = {
  anonymous: { caller: anonymous, role: null, workspace: null },
  outsider: { caller: user(), role: null, workspace: null },
  reader: member('read'),
  triager: member('triage'),
  writer: member('write'),
  maintainer: member('maintain'),
  admin: member('admin'),
  owner: { caller: user(), role: 'admin', workspace: 'owner' },
  /** A collaborator who is no member of the workspace. */
  outsideWriter: { caller: user(), role: 'write', workspace: null },
  siteAdmin: { caller: user({ site_admin: true }), role: null, workspace: null },
  unscoped: { caller: user({ token: token({ scopes: [] }) }), role: 'admin', workspace: 'owner' },
  unconfirmed: { caller: user({ verified: false }), role: 'admin', workspace: 'owner' },
  suspended: { caller: user({ suspended: true }), role: 'admin', workspace: 'owner' },
  /** The workspace requires a second factor, and this owner has none. */
  twoFactorMissing: { caller: user(), role: 'admin', workspace: 'owner', twoFactorMissing: true },
  // An owner's token with one limit each.
  ownerReadScopes: limitedOwner({ scopes: SCOPES.filter((scope) => scope.endsWith(':read')) }),
  ownerOneRepo: limitedOwner({ repos: ['rep_1'] }),
  ownerOtherRepo: limitedOwner({ repos: ['rep_2'] }),
  ownerOneWorkspace: limitedOwner({ workspace: 'wsp_1' }),
  ownerOtherWorkspace: limitedOwner({ workspace: 'wsp_2' }),
  ownerAsWriter: limitedOwner({ role: 'write' }),
  workspaceToken: workspaceKind({}),
  workspaceTokenReadScopes: workspaceKind({ scopes: ['repo:read', 'workspace:read'] }),
  workspaceTokenOneRepo: workspaceKind({ repos: ['rep_1'] }),
  workspaceTokenOtherRepo: workspaceKind({ repos: ['rep_2'] }),
  agent: {
    caller: {
      kind: 'agent',
      id: 'agt_1',
      username: 'ada/bot',
      repo_id: 'rep_1',
      owner_id: 'usr_1',
      owner_username: 'ada',
      token: token({ kind: 'agent', repos: ['rep_1'], role: 'write' }),
    },
    role: 'write',
    workspace: 'member',
  },
  /** An agent whose token was narrowed to reading. */
  agentReadScopes: {
    caller: {
      kind: 'agent',
      id: 'agt_3',
      username: 'ada/reader',
      repo_id: 'rep_1',
      owner_id: 'usr_1',
      owner_username: 'ada',
      token: token({
        kind: 'agent',
        repos: ['rep_1'],
        role: 'write',
        scopes: SCOPES.filter((scope) => /^(repo|code|issues|pulls):read$/.test(scope)),
      }),
    },
    role: 'write',
    workspace: 'member',
  },
  strayAgent: {
    caller: {
      kind: 'agent',
      id: 'agt_2',
      username: 'ada/stray',
      repo_id: 'rep_2',
      owner_id: 'usr_1',
      owner_username: 'ada',
      token: token({ kind: 'agent', repos: ['rep_2'], role: 'write' }),
    },
    role: 'write',
    workspace: 'member',
  },
}

const SITUATIONS: Readonly<Record<string, Partial<AccountRepoFacts>>> = {
  private: { private: true },
  public: { private: false },
  archived: { private: false, archived: true },
  deleted: { private: false, deleted: true },
}

const facts = (kind: Kind, change: Partial<AccountRepoFacts>): AccountRepoFacts => ({
  id: 'rep_1',
  full_name: 'acme/site',
  name: 'site',
  workspace_id: 'wsp_1',
  workspace: 'acme',
  private: true,
  archived: false,
  deleted: false,
  role: kind.role,
  workspace_role: kind.workspace,
  default_branch: 'main',
  store: 'rep_1',
  parent_id: null,
  pull_number: null,
  two_factor_missing: kind.twoFactorMissing ?? false,
  ...change,
})

/** Packages that are linked to the repository, one of no repository, and one that is not there. */
const PACKAGE_SITUATIONS: Readonly<Record<string, Partial<AccountPackageFacts>>> = {
  private: {},
  public: { private: false },
  archived: { private: false, archived: true },
  deleted: { private: false, deleted: true },
  unlinked: { repo_id: null },
  missing: { id: null, repo_id: null },
}

const PACKAGE_ROLES: Readonly<Record<Role, Role>> = {
  read: 'read',
  triage: 'read',
  write: 'write',
  maintain: 'write',
  admin: 'admin',
}

/** As `features/packages/package-facts.ts` has them, for a repository in the caller's reach. */
function packageFactsOf(
  { caller, role, workspace, twoFactorMissing }: Kind,
  change: Partial<AccountPackageFacts>,
): AccountPackageFacts {
  const only =
    caller.kind === 'agent'
      ? caller.repo_id
      : caller.kind === 'anonymous'
        ? null
        : (caller.token?.repos?.[0] ?? null)
  const standing = role === null ? null : PACKAGE_ROLES[role]
  const isLinked = change.repo_id !== null
  const isStranger = caller.kind === 'agent' && only !== 'rep_1'
  return {
    id: 'pkg_1',
    type: 'npm',
    name: 'site',
    workspace_id: 'wsp_1',
    workspace: 'acme',
    workspace_role: workspace,
    private: true,
    deleted: false,
    role: (isLinked && !isStranger) || workspace === 'owner' ? standing : null,
    repo_id: 'rep_1',
    archived: false,
    creation: workspace === null || only === 'rep_2' ? null : { repo_id: only },
    two_factor_missing: twoFactorMissing ?? false,
    ...change,
  }
}

const operations = features.flatMap((feature) => feature.operations ?? [])

type Place = {
  repo?: string
  /** An advisory that `usr_3` is invited to. */
  id?: string
  workspace?: string
  package_type?: string
  package_name?: string
}

function outcome(
  operation: (typeof operations)[number],
  kind: Kind,
  situation: object,
  target: Place,
): string {
  try {
    decide(operation.access, kind.caller, target, {
      repo: (_, caller) =>
        limitRepoFacts(facts(kind, situation as Partial<AccountRepoFacts>), caller),
      moved: () => null,
      departed: () => null,
      isSecurityManager: (_, person) => person === 'usr_2',
      isInvitedToAdvisory: (_, id, person) => id === 'adv_1' && person === 'usr_3',
      workspace: (slug, caller) =>
        limitWorkspaceFacts(
          {
            id: 'wsp_1',
            slug,
            role: kind.workspace,
            two_factor_missing: kind.twoFactorMissing ?? false,
          },
          caller,
        ),
      package: (_, caller) =>
        limitPackageFacts(packageFactsOf(kind, situation as Partial<AccountPackageFacts>), caller),
    })
    return 'ok'
  } catch (error) {
    if (error instanceof Refusal) return String(error.status)
    throw error
  }
}

function lines(): string[] {
  const text: string[] = []
  for (const operation of [...operations].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const { target } = operation.access
    const inRepo = Object.entries(SITUATIONS).map(([name, situation]): [string, object, Place] => [
      name,
      situation,
      { repo: 'acme/site', id: 'adv_1' },
    ])
    const inWorkspace: [string, object, Place] = ['workspace', {}, { workspace: 'acme' }]
    const named: Place = { workspace: 'acme', package_type: 'npm', package_name: 'site' }
    const places: readonly [string, object, Place][] = {
      none: [['', {}, {}] as [string, object, Place]],
      workspace: [inWorkspace],
      repo: inRepo,
      either: [...inRepo, inWorkspace],
      package: Object.entries(PACKAGE_SITUATIONS).map(
        ([name, situation]): [string, object, Place] => [name, situation, named],
      ),
    }[target]
    for (const [place, situation, addressed] of places) {
      const results = Object.entries(KINDS).map(
        ([name, kind]) => `${name}=${outcome(operation, kind, situation, addressed)}`,
      )
      text.push([operation.name, place, ...results].filter(Boolean).join(' '))
    }
  }
  return text
}

test('the access of all callers equals the snapshot', () => {
  expectSnapshot('access.txt', `${lines().join('\n')}\n`)
})

test('security managers may call these operations without a role on the repository', () => {
  const manager: Kind = { caller: user({ id: 'usr_2' }), role: null, workspace: 'member' }
  const at = (kind: Kind) =>
    operations
      .filter(({ access }) => access.target === 'repo' || access.target === 'either')
      .filter(
        (operation) =>
          outcome(operation, kind, { private: true }, { repo: 'acme/site', id: 'adv_1' }) === 'ok',
      )
      .map(({ name }) => name)
      .sort()
  expect(at({ ...manager, caller: user() })).toEqual([])
  expect(at(manager)).toEqual(
    operations
      .filter(({ access }) => access.securityManager)
      .map(({ name }) => name)
      .sort(),
  )
  expect(at(manager)).toContain('update_code_scanning_alert')
})

test('an invitation to an advisory gives its private fork, on top of what the role gives', () => {
  const may = (kind: Kind, situation: object, id = 'adv_1') =>
    new Set(
      operations
        .filter(({ access }) => access.target === 'repo')
        .filter(
          (operation) => outcome(operation, kind, situation, { repo: 'acme/site', id }) === 'ok',
        )
        .map(({ name }) => name),
    )
  const invited: Kind = { caller: user({ id: 'usr_3' }), role: null, workspace: null }
  const stranger: Kind = { caller: user(), role: null, workspace: null }
  const gained = [...may(invited, { private: false }).difference(may(stranger, { private: false }))]
  expect(gained.sort()).toEqual([
    'compare_advisory_fork',
    'fetch_advisory_fork',
    'get_advisory_fork',
    'list_advisory_collaborators',
    'push_advisory_fork',
  ])
  // Not of a private repository that they cannot read, and not of another advisory.
  expect(may(invited, { private: true })).toEqual(new Set())
  expect(may(invited, { private: false }, 'adv_2')).toEqual(may(stranger, { private: false }))
  const writer: Kind = { ...invited, role: 'write', workspace: 'member' }
  expect(may(writer, {})).toContain('merge_advisory_fork')
  expect(may({ ...writer, caller: user() }, {})).not.toContain('merge_advisory_fork')
  for (const change of [
    { repos: ['rep_2'] },
    { workspace: 'wsp_2' },
    { role: 'triage' as const },
  ]) {
    const narrow = user({ id: 'usr_3', token: token(change) })
    expect(may({ ...invited, caller: narrow }, { private: false })).not.toContain(
      'fetch_advisory_fork',
    )
  }
})

test('no handler reads roles of an account beyond the limits of its token', () => {
  // `hearth.facts` and `decide` limit what they return; these queries do not. They are for other
  // people than the caller, and for the two functions that the facts are made from.
  const raw = /\b(findStanding|findRoleParts)\([^()]*\bcaller\b/
  const allowed = new Set([
    // Compares an invitation with the role that the account has, not the token.
    'src/features/collaborators/accept-repo-invitation.ts',
    'src/features/repos/access/repo-facts.ts',
    'src/features/workspaces/facts.ts',
  ])
  const root = join(import.meta.dir, '..')
  const found = [...new Bun.Glob('src/{features,http}/**/*.ts').scanSync(root)].filter(
    (path) => !allowed.has(path) && raw.test(readFileSync(join(root, path), 'utf8')),
  )
  expect(found).toEqual([])
})

test('changes need an account, except creating or proving one', () => {
  const open = operations
    .filter(({ access }) => access.writes && !access.account)
    .map(({ name }) => name)
  expect(open.sort()).toEqual([
    'confirm_email',
    'create_device_code',
    // Whoever finds a vulnerability may report it without an account, at most three times an hour.
    'create_vulnerability_report',
    'exchange_token',
    'finish_sign_in',
    'finish_sign_on',
    'forgot_password',
    'poll_device_token',
    'register',
    'reset_password',
    'revoke_oauth_token',
    'setup_forge',
    'sign_in',
    'sign_in_by_proxy',
    'sign_in_with_directory',
    'sign_in_with_passkey',
    'sign_out',
    // The link that was mailed to a person is the proof.
    'unsubscribe',
  ])
})

test('every REST route that changes something declares that it writes, so that archived, unconfirmed and suspended callers are stopped', () => {
  const silent = operations
    .filter(
      ({ routes, access }) => routes.some((route) => !route.startsWith('GET ')) && !access.writes,
    )
    .map(({ name }) => name)
  // It asks with a body and keeps nothing.
  expect(silent).toEqual(['draft_release_notes'])
})

test('a limited token needs a scope for every operation on a repository or workspace', () => {
  const free = operations
    .filter(
      ({ access, routes }) =>
        access.target !== 'none' && access.scope === null && routes.length > 0,
    )
    .map(({ name }) => name)
  // Whoever may read a repository may report a vulnerability of it.
  expect(free).toEqual(['create_vulnerability_report'])
})

describe('nothing bypasses it', () => {
  const world = makeWorld()
  const known = new Set(operations.map(({ name }) => name))

  test('every REST route and every tool is an operation of the list', async () => {
    const { hearth } = await world
    // The version of the interface is the one operation that no feature has; it reads nothing that
    // is anybody's.
    const others = hearth.operations.filter(({ name }) => !known.has(name))
    expect(others.map(({ name, access }) => [name, access.target, access.writes])).toEqual([
      ['get_version', 'none', false],
    ])
    expect(others.flatMap(({ routes }) => routes)).toEqual(['GET /version'])
  })

  test('what else the listener answers is this, and none of it is a repository’s or a workspace’s', async () => {
    const { hearth } = await world
    const tools = new ToolServer(hearth)
    const mounted = [
      ...serviceRoutes(hearth),
      ...oauthRoutes(hearth),
      ...archiveRoutes(hearth),
      ...tools.routes,
    ].map(({ path }) => path.replace(/^\/api(?=\/)/, ''))
    await tools.close()
    expect([...new Set(mounted)].sort()).toEqual([
      '/.well-known/oauth-authorization-server',
      '/.well-known/oauth-authorization-server/api',
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/api',
      '/.well-known/oauth-protected-resource/api/*',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-protected-resource/mcp/*',
      '/_archive/:token/:file',
      '/api',
      '/livez',
      '/mcp',
      '/mcp/*',
      '/metrics',
      '/oauth/authorize',
      '/oauth/register',
      '/oauth/revoke',
      '/oauth/token',
      '/openapi.json',
      '/readyz',
      '/robots.txt',
    ])
  })

  test('git and archives go through operations of the list', async () => {
    for (const name of ['fetch_repo', 'push', 'open_archive']) expect(known.has(name)).toBe(true)
    const root = join(import.meta.dir, '..')
    const git = readFileSync(join(root, 'src/http/git/git-server.ts'), 'utf8')
    // Bytes flow only after `open` has asked, and refs move only through `push`.
    expect([...git.matchAll(/hearth\.git\.(\w+)/g)].map(([, name]) => name).sort()).toEqual([
      'advertise',
      'bundle',
      'ensureLocal',
      'listRefs',
      'receivePack',
      'uploadPackOrFile',
      'uploadPackSync',
    ])
    expect(git.match(/await this\.#open\(request, service[,)]/g)).toHaveLength(2)
    expect(git.match(/await this\.#open\(request, 'git-upload-pack'\)/g)).toHaveLength(1)
    const ssh = readFileSync(join(root, 'src/ssh/git-session.ts'), 'utf8')
    expect(ssh.match(/this\.#access\.open\(/g)).toHaveLength(1)
    expect(ssh.match(/await this\.#open\(call, path, '/g)).toHaveLength(2)
    for (const entry of [git, ssh]) expect(entry).not.toMatch(/hearth\.(db|database|writer)\b/)
  })

  test('no page, form or file of the website reads anything but through an operation', async () => {
    const { hearth } = await world
    const map = siteMap(hearth.settings, { docs: () => docsData(hearth) })
    expect(map.pages.length + map.forms.length + map.resources.length).toBeGreaterThan(60)
    // Asked as a stranger with nothing but `call` at hand, each page answers from operations alone:
    // the forge behind it is blind.
    const blind = new Proxy(hearth, {
      get: (target, name) => {
        if (name === 'settings' || name === 'facts' || name === 'clock' || name === 'db')
          return name === 'db' ? unreadable : target[name]
        throw new Error(`a page reached for hearth.${String(name)}`)
      },
    })
    for (const page of map.pages) {
      const params = Object.fromEntries(
        [...page.path.matchAll(/[:*](\w+)/g)].map(([, name]) => [
          name ?? '',
          name === 'number' ? '1' : 'x',
        ]),
      )
      const asked: string[] = []
      const refuse = async (operation: { name: string }): Promise<never> => {
        asked.push(operation.name)
        throw notFound('it')
      }
      const visit = {
        hearth: blind,
        request: new Request('https://hearth.test/'),
        url: new URL('https://hearth.test/?code=x&token=x&state=x&client_id=x'),
        params,
        caller: anonymous,
        viewer: null,
        csrf: 'x',
        flash: null,
        form: emptyFormState,
        headers: {},
        address: null,
        principal: '',
        appearance: toAppearance('', ''),
        call: refuse,
        tryCall: async (operation: { name: string }) => (asked.push(operation.name), null),
      } as unknown as Visit
      try {
        await page.render(visit)
      } catch (error) {
        if (!(error instanceof Refusal || error instanceof NoSuchPage))
          throw new Error(`${page.path}: ${error instanceof Error ? error.message : String(error)}`)
      }
      for (const name of asked) expect(known.has(name) || name === 'get_version').toBe(true)
    }
  })
})
