import { describe, expect, test } from 'bun:test'
import {
  decide,
  limitRepoFacts,
  limitWorkspaceFacts,
  mayEverCall,
  personOnly,
  readsRepo,
  readsRepoAs,
  readsWorkspace,
  siteAdmin,
  writesRepo,
  writesRepoAsPerson,
  writesWorkspace,
  type AccountRepoFacts,
  type FactsPort,
  type Rule,
} from '#core/access.ts'
import {
  anonymous,
  type AgentCaller,
  type Caller,
  type TokenFacts,
  type UserCaller,
  type WorkspaceCaller,
} from '#core/caller.ts'
import { includesScope } from '#core/scopes.ts'
import type { Refusal } from '#lib/errors.ts'

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
const agent = (change: Partial<AgentCaller> = {}): AgentCaller => ({
  kind: 'agent',
  id: 'agt_1',
  username: 'ada/bot',
  repo_id: 'rep_1',
  owner_id: 'usr_1',
  owner_username: 'ada',
  token: token({ kind: 'agent', repos: ['rep_1'], role: 'write' }),
  ...change,
})
const workspace: WorkspaceCaller = {
  kind: 'workspace',
  id: 'wsp_1',
  username: 'acme',
  token: token({ kind: 'workspace', workspace: 'wsp_1', role: 'write', scopes: ['code:write'] }),
}

const repo = (change: Partial<AccountRepoFacts> = {}): AccountRepoFacts => ({
  id: 'rep_1',
  full_name: 'acme/site',
  name: 'site',
  workspace_id: 'wsp_1',
  workspace: 'acme',
  private: true,
  archived: false,
  deleted: false,
  role: null,
  workspace_role: null,
  default_branch: 'main',
  store: 'rep_1',
  parent_id: null,
  pull_number: null,
  two_factor_missing: false,
  ...change,
})

const port = (facts: AccountRepoFacts | null): FactsPort => ({
  repo: (_, caller) => facts && limitRepoFacts(facts, caller),
  moved: () => null,
  departed: () => null,
  isSecurityManager: (workspace, person) => workspace === 'wsp_1' && person === 'usr_7',
  isInvitedToAdvisory: (repo, id, person) =>
    repo === 'rep_1' && id === 'adv_1' && person === 'usr_8',
  package: () => null,
  workspace: (slug, caller) =>
    slug === 'acme'
      ? limitWorkspaceFacts(
          { id: 'wsp_1', slug, role: 'member', two_factor_missing: false },
          caller,
        )
      : null,
})

/** `ok`, or the status with its reason. */
function outcome(rule: Rule, caller: Caller, facts: AccountRepoFacts | null): string {
  try {
    decide(rule, caller, { repo: 'acme/site' }, port(facts))
    return 'ok'
  } catch (error) {
    const refusal = error as Refusal
    return refusal.reason === null ? String(refusal.status) : `${refusal.status} ${refusal.reason}`
  }
}

const write = writesRepo('write', { scope: 'code:write' })

describe('a repository that the caller cannot see is reported as missing', () => {
  test('to callers without a role, before any other error', () => {
    for (const caller of [
      user(),
      user({ verified: false }),
      user({ token: token({ scopes: [] }) }),
      workspace,
    ]) {
      expect(outcome(write, caller, repo({ archived: true }))).toBe(outcome(write, caller, null))
      expect(outcome(write, caller, null)).toBe('404')
    }
    expect(outcome(readsRepo(), anonymous, repo())).toBe('404')
  })
  test('to an agent of another repository both are 403, so that it cannot probe', () => {
    const stray = agent({ repo_id: 'rep_2' })
    expect(outcome(write, stray, repo({ role: 'admin' }))).toBe('403 agent_outside_repository')
    expect(outcome(write, stray, null)).toBe('403 agent_outside_repository')
    expect(outcome(readsRepo(), stray, repo())).toBe('403 agent_outside_repository')
    expect(outcome(readsRepo(), stray, null)).toBe('403 agent_outside_repository')
  })
  test('a deleted one shows only to its owners, and only where the rule says so', () => {
    const restore = writesRepoAsPerson('admin', { member: 'owner', whileDeleted: true })
    const gone = repo({ deleted: true, private: false, role: 'admin', workspace_role: 'owner' })
    expect(outcome(restore, user(), gone)).toBe('ok')
    expect(outcome(restore, user(), { ...gone, workspace_role: 'member' })).toBe('404')
    expect(outcome(readsRepo(), user(), gone)).toBe('404')
    expect(outcome(readsRepo(), anonymous, gone)).toBe('404')
  })
})

describe('a security manager', () => {
  const reads = readsRepoAs('write', { securityManager: true })
  const manager = user({ id: 'usr_7' })
  test('needs no role where the rule says so', () => {
    expect(outcome(reads, manager, repo())).toBe('ok')
    expect(outcome(reads, manager, repo({ role: 'read' }))).toBe('ok')
    expect(outcome(reads, user(), repo())).toBe('404')
    expect(outcome(reads, user(), repo({ role: 'read' }))).toBe('403 role')
    expect(outcome(readsRepoAs('write'), manager, repo({ role: 'read' }))).toBe('403 role')
    expect(outcome(readsRepo(), manager, repo())).toBe('404')
  })
  test('is none in other workspaces, for deleted repositories and beyond the limits of a token', () => {
    expect(outcome(reads, manager, repo({ workspace_id: 'wsp_2' }))).toBe('404')
    expect(outcome(reads, manager, repo({ deleted: true }))).toBe('404')
    for (const limit of [{ repos: ['rep_2'] }, { workspace: 'wsp_2' }, { role: 'read' as const }])
      expect(outcome(reads, { ...manager, token: token(limit) }, repo())).toBe('404')
    expect(outcome(reads, agent({ owner_id: 'usr_7' }), repo())).toBe('404')
  })
})

describe('a former name of a repository', () => {
  const old = (facts: AccountRepoFacts | null, at: AccountRepoFacts | null = null): FactsPort => ({
    ...port(null),
    repo: (path, caller) => port(path === 'acme/new' ? facts : at).repo(path, caller),
    moved: (path) => (path === 'acme/site' ? 'acme/new' : null),
  })
  const asked = (rule: Rule, caller: Caller, facts: FactsPort): [number, string | null, string] => {
    try {
      decide(rule, caller, { repo: 'acme/site' }, facts)
      return [200, null, '']
    } catch (error) {
      const { status, reason, message } = error as Refusal
      return [status, reason, message]
    }
  }
  const told = 'acme/site is acme/new now: use that name'
  test('tells the new one to those who see the repository, before anything else is decided', () => {
    expect(asked(readsRepo(), anonymous, old(repo({ private: false })))).toEqual([
      404,
      'moved',
      told,
    ])
    expect(asked(write, user(), old(repo({ role: 'read', archived: true })))).toEqual([
      404,
      'moved',
      told,
    ])
    expect(asked(write, agent(), old(repo({ role: 'admin' })))).toEqual([404, 'moved', told])
  })
  test('is no name at all to others', () => {
    const nothing = asked(readsRepo(), user(), port(null))
    for (const facts of [
      repo(),
      repo({ private: false, deleted: true }),
      repo({ deleted: true, role: 'admin', workspace_role: 'owner' }),
      null,
    ]) {
      expect(asked(readsRepo(), user(), old(facts))).toEqual(nothing)
      expect(
        asked(writesRepoAsPerson('admin', { whileDeleted: true }), user(), old(facts)),
      ).toEqual(nothing)
    }
    expect(asked(readsRepo(), agent({ repo_id: 'rep_2' }), old(repo({ role: 'admin' })))[1]).toBe(
      'agent_outside_repository',
    )
    expect(asked(write, anonymous, old(repo({ private: false })))[0]).toBe(401)
    expect(
      asked(readsRepo(), user(), old(repo({ role: 'read', two_factor_missing: true })))[1],
    ).toBe('two_factor_required')
  })
  test('leads on past a deleted repository, but for those who may bring that back', () => {
    const deleted = repo({ deleted: true, role: 'admin', workspace_role: 'owner' })
    expect(asked(readsRepo(), user(), old(repo({ role: 'read' }), deleted))[1]).toBe('moved')
    expect(
      asked(
        writesRepoAsPerson('admin', { member: 'owner', whileDeleted: true }),
        user(),
        old(repo({ role: 'admin' }), deleted),
      )[0],
    ).toBe(200)
  })
  test('stands behind whatever has the name now', () => {
    expect(asked(readsRepo(), user(), old(repo({ role: 'read' }), repo({ role: 'read' })))[0]).toBe(
      200,
    )
  })
})

describe('the order of refusals', () => {
  test('401 before everything', () => expect(outcome(write, anonymous, null)).toBe('401'))
  test('suspended before person', () =>
    expect(outcome(personOnly(), user({ suspended: true }), null)).toBe('403 suspended'))
  test('person before the repository is looked at', () => {
    expect(outcome(writesRepoAsPerson('admin'), workspace, null)).toBe('403 person_required')
    expect(outcome(writesRepoAsPerson('admin'), agent({ repo_id: 'rep_2' }), null)).toBe(
      '403 person_required',
    )
  })
  test('scope, then confirmed address, then role, then archived', () => {
    const facts = repo({ role: 'read', archived: true })
    expect(
      outcome(write, user({ verified: false, token: token({ scopes: ['code:read'] }) }), facts),
    ).toBe('403 scope')
    expect(outcome(write, user({ verified: false }), facts)).toBe('403 email_unconfirmed')
    expect(outcome(write, user(), facts)).toBe('403 role')
    expect(outcome(write, user(), repo({ role: 'write', archived: true }))).toBe('403 archived')
    expect(outcome(write, user(), repo({ role: 'write' }))).toBe('ok')
  })
})

describe('limits of a token', () => {
  test('a role above its own is lowered', () => {
    expect(outcome(writesRepo('maintain'), agent(), repo({ role: 'admin' }))).toBe('403 role')
    expect(outcome(writesRepo('write'), agent(), repo({ role: 'admin' }))).toBe('ok')
  })
  test('outside its repositories or workspace only what is public is left', () => {
    const narrow = user({ token: token({ repos: ['rep_2'] }) })
    expect(outcome(readsRepo(), narrow, repo({ role: 'admin' }))).toBe('404')
    expect(outcome(readsRepo(), narrow, repo({ role: 'admin', private: false }))).toBe('ok')
    expect(outcome(write, narrow, repo({ role: 'admin', private: false }))).toBe('403 role')
    expect(
      outcome(readsRepo(), user({ token: token({ workspace: 'wsp_2' }) }), repo({ role: 'admin' })),
    ).toBe('404')
  })
  test('facts of a repository outside its limits hold no role at all', () => {
    const facts = repo({ role: 'admin', workspace_role: 'owner', private: false })
    for (const change of [{ repos: ['rep_2'] }, { workspace: 'wsp_2' }])
      expect(limitRepoFacts(facts, user({ token: token(change) }))).toMatchObject({
        role: null,
        workspace_role: null,
      })
    expect(limitRepoFacts(facts, user({ token: token({ repos: ['rep_1'] }) }))).toMatchObject(facts)
  })
  test('a token below admin is a member at most, and so is one for some repositories', () => {
    const facts = { id: 'wsp_1', slug: 'acme', role: 'owner' as const, two_factor_missing: false }
    const roleWith = (change: Partial<TokenFacts>) =>
      limitWorkspaceFacts(facts, user({ token: token(change) })).role
    expect(roleWith({})).toBe('owner')
    expect(roleWith({ workspace: 'wsp_1' })).toBe('owner')
    expect(roleWith({ workspace: 'wsp_2' })).toBeNull()
    expect(roleWith({ repos: ['rep_1'] })).toBe('member')
    expect(roleWith({ role: 'maintain' })).toBe('member')
    expect(
      limitRepoFacts(
        repo({ role: 'admin', workspace_role: 'owner' }),
        user({ token: token({ role: 'write' }) }),
      ),
    ).toMatchObject({ role: 'write', workspace_role: 'member' })
  })
  test('a narrowed token needs the scope for reading public things too', () => {
    expect(
      outcome(
        readsRepo({ scope: 'code:read' }),
        user({ token: token({ scopes: ['issues:read'] }) }),
        repo({ private: false }),
      ),
    ).toBe('403 scope')
  })
  test('the fork of a pull request belongs to the repository of an agent', () => {
    expect(outcome(write, agent(), repo({ id: 'rep_9', parent_id: 'rep_1', role: 'write' }))).toBe(
      'ok',
    )
  })
})

test('merging needs workspace membership and the role', () => {
  const merge = writesRepo('write', { member: 'member' })
  expect(outcome(merge, user(), repo({ role: 'admin', workspace_role: null }))).toBe('403 role')
  expect(outcome(merge, user(), repo({ role: 'write', workspace_role: 'member' }))).toBe('ok')
  expect(outcome(merge, user(), repo({ role: 'write', workspace_role: 'owner' }))).toBe('ok')
})

test('a workspace is visible to its members only, and some changes need an owner', () => {
  const run = (rule: Rule, slug: string) => {
    try {
      decide(rule, user(), { workspace: slug }, port(null))
      return 200
    } catch (error) {
      return (error as Refusal).status
    }
  }
  expect(run(readsWorkspace(), 'acme')).toBe(200)
  expect(run(readsWorkspace(), 'other')).toBe(404)
  expect(run(writesWorkspace('owner'), 'acme')).toBe(403)
})

test('only site administrators administer', () => {
  expect(outcome(siteAdmin(), user(), null)).toBe('403 role')
  expect(outcome(siteAdmin(), user({ site_admin: true }), null)).toBe('ok')
  expect(outcome(siteAdmin(), agent(), null)).toBe('403 person_required')
})

test('scopes: higher levels include lower ones of their area; merge stands alone', () => {
  expect(includesScope(['repo:admin'], 'repo:read')).toBe(true)
  expect(includesScope(['repo:write'], 'repo:admin')).toBe(false)
  expect(includesScope(['code:write'], 'issues:read')).toBe(false)
  expect(includesScope(['pulls:write'], 'pulls:merge')).toBe(false)
  expect(includesScope(['pulls:merge'], 'pulls:read')).toBe(false)
})

test('tools that a caller can never use are known without a repository', () => {
  expect(mayEverCall(writesRepoAsPerson('admin'), agent())).toBe(false)
  expect(mayEverCall(write, agent())).toBe(true)
  expect(mayEverCall(write, user({ token: token({ scopes: ['issues:read'] }) }))).toBe(false)
})
