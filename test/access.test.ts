/**
 * Who may do what: every operation by every kind of caller, on a private, a public and an archived repository, in one text
 * that a person can read (`snapshots/access.txt`). A change of rights shows up as a change of that file, and an operation
 * without a line cannot exist, because the lines are made from the list of operations.
 */
import { expect, test } from 'bun:test'
import { decide, type RepoFacts, type WorkspaceRole } from '#core/access.ts'
import { anonymous, type Caller, type Role, type TokenFacts, type UserCaller } from '#core/caller.ts'
import { SCOPES } from '#core/scopes.ts'
import { features } from '#features/index.ts'
import { Refusal } from '#lib/errors.ts'
import { expectSnapshot } from './snapshot.ts'

const token = (change: Partial<TokenFacts> = {}): TokenFacts => ({
  id: 'tok_1', name: 't', kind: 'user', scopes: null, repos: null, workspace: null, role: null, expires_at: null, ...change,
})
const user = (change: Partial<UserCaller> = {}): UserCaller => ({
  kind: 'user', id: 'usr_1', username: 'ada', verified: true, suspended: false, site_admin: false, token: token(), sign_in: null, ...change,
})

type Kind = { readonly caller: Caller; readonly role: Role | null; readonly workspace: WorkspaceRole | null }

const member = (role: Role): Kind => ({ caller: user(), role, workspace: 'member' })

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
  workspaceToken: {
    caller: { kind: 'workspace', id: 'wsp_1', username: 'acme', token: token({ kind: 'workspace', workspace: 'wsp_1', role: 'write', scopes: SCOPES.filter((scope) => !/^(access|user|site):/.test(scope)) }) },
    role: 'admin', workspace: 'member',
  },
  agent: {
    caller: { kind: 'agent', id: 'agt_1', username: 'ada/bot', repo_id: 'rep_1', owner_id: 'usr_1', owner_username: 'ada', token: token({ kind: 'agent', repos: ['rep_1'], role: 'write' }) },
    role: 'write', workspace: 'member',
  },
  strayAgent: {
    caller: { kind: 'agent', id: 'agt_2', username: 'ada/stray', repo_id: 'rep_2', owner_id: 'usr_1', owner_username: 'ada', token: token({ kind: 'agent', repos: ['rep_2'], role: 'write' }) },
    role: 'write', workspace: 'member',
  },
}

const SITUATIONS: Readonly<Record<string, Partial<RepoFacts>>> = {
  private: { private: true }, public: { private: false }, archived: { private: false, archived: true }, deleted: { private: false, deleted: true },
}

const facts = (kind: Kind, change: Partial<RepoFacts>): RepoFacts => ({
  id: 'rep_1', full_name: 'acme/site', name: 'site', workspace_id: 'wsp_1', workspace: 'acme', private: true, archived: false, deleted: false,
  role: kind.role, workspace_role: kind.workspace, default_branch: 'main', store: 'rep_1', parent_id: null, pull_number: null, two_factor_missing: false, ...change,
})

const operations = features.flatMap((feature) => feature.operations ?? [])

function outcome(operation: (typeof operations)[number], kind: Kind, situation: Partial<RepoFacts>, target: { repo?: string; workspace?: string }): string {
  try {
    decide(operation.access, kind.caller, target, {
      repo: () => facts(kind, situation),
      moved: () => null,
      workspace: (slug) => ({ id: 'wsp_1', slug, role: kind.workspace, two_factor_missing: false }),
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
    const places: [string, Partial<RepoFacts>, { repo?: string; workspace?: string }][] =
      target === 'none' ? [['', {}, {}]] : target === 'workspace' ? [['workspace', {}, { workspace: 'acme' }]]
      : [
          ...Object.entries(SITUATIONS).map(([name, situation]): [string, Partial<RepoFacts>, { repo?: string }] => [name, situation, { repo: 'acme/site' }]),
          ...(target === 'either' ? [['workspace', {}, { workspace: 'acme' }] as [string, Partial<RepoFacts>, { workspace: string }]] : []),
        ]
    for (const [place, situation, addressed] of places) {
      const results = Object.entries(KINDS).map(([name, kind]) => `${name}=${outcome(operation, kind, situation, addressed)}`)
      text.push([operation.name, place, ...results].filter(Boolean).join(' '))
    }
  }
  return text
}

test('who may do what is as the snapshot says', () => {
  expectSnapshot('access.txt', `${lines().join('\n')}\n`)
})

test('what changes something is never open to anybody without an account, but for making or proving one', () => {
  const open = operations.filter(({ access }) => access.writes && !access.account).map(({ name }) => name)
  expect(open.sort()).toEqual([
    'confirm_email', 'create_device_code', 'exchange_token', 'finish_sign_in', 'finish_sign_on', 'forgot_password', 'poll_device_token', 'register', 'reset_password', 'revoke_oauth_token', 'setup_forge', 'sign_in', 'sign_in_with_directory', 'sign_in_with_passkey', 'sign_out',
  ])
})

test('every REST route that changes something declares that it writes, so that archived, unconfirmed and suspended callers are stopped', () => {
  const silent = operations.filter(({ routes, access }) => routes.some((route) => !route.startsWith('GET ')) && !access.writes).map(({ name }) => name)
  expect(silent).toEqual([])
})

test('a narrowed token needs a scope for every operation on a repository or workspace', () => {
  const free = operations.filter(({ access, routes }) => access.target !== 'none' && access.scope === null && routes.length > 0).map(({ name }) => name)
  expect(free).toEqual([])
})

