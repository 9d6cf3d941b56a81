import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { issueToken, recordActor } from '#features/accounts/index.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada', { site_admin: true })
const acme = await world.workspace('acme', { owner: ada })
const other = await world.workspace('other', { owner: ada })
const repo = { id: 'rep_1', workspace_id: acme.id, name: 'site' }
const none = { scopes: null, repos: null, workspace_id: null, role: null, expires_at: null }

async function through(options: Partial<Parameters<typeof issueToken>[1]>) {
  const { secret, token } = await world.write((tx) =>
    issueToken(tx, {
      actor_id: ada.id,
      kind: 'user',
      name: 'laptop',
      source: 'settings',
      ...none,
      ...options,
    }),
  )
  return { caller: world.hearth.callers.byToken(secret) ?? anonymous, id: token.id }
}

test('a user sees all fields of their own account', async () => {
  const { caller, id } = await through({ scopes: ['code:read'], repos: [repo] })
  expect(await world.call(whoami, caller, {})).toEqual({
    kind: 'user',
    id: ada.id,
    username: 'ada',
    name: null,
    avatar_url: `https://hearth.test/avatars/${ada.id}.svg`,
    html_url: 'https://hearth.test/ada',
    bio: null,
    company: null,
    location: null,
    website: null,
    pronouns: null,
    email: 'ada@example.com',
    verified: true,
    private_email: true,
    time_zone: null,
    language: null,
    theme: null,
    locale: null,
    two_factor_enabled: false,
    site_admin: true,
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    workspaces: [
      { id: other.id, slug: 'other', name: 'other', role: 'owner', two_factor_required: false },
      { id: acme.id, slug: 'acme', name: 'acme', role: 'owner', two_factor_required: false },
    ],
    agent: null,
    token: {
      id,
      name: 'laptop',
      kind: 'user',
      scopes: ['code:read'],
      repos: ['acme/site'],
      expires_at: null,
    },
  })
})

test('a website sign-in has no token, and an unconfirmed user may call it', async () => {
  const bob = await world.user('bob', { verified: false })
  expect(await world.call(whoami, bob, {})).toMatchObject({
    username: 'bob',
    verified: false,
    token: null,
    workspaces: [],
  })
})

test('a token for one workspace shows only that workspace', async () => {
  const { caller } = await through({ workspace_id: acme.id })
  expect((await world.call(whoami, caller, {})).workspaces.map(({ slug }) => slug)).toEqual([
    'acme',
  ])
})

test('a workspace token shows the workspace', async () => {
  const { caller } = await through({
    actor_id: acme.id,
    kind: 'workspace',
    workspace_id: acme.id,
    scopes: ['repo:read'],
  })
  expect(await world.call(whoami, caller, {})).toMatchObject({
    kind: 'workspace',
    id: acme.id,
    username: 'acme',
    email: null,
    verified: true,
    site_admin: false,
    agent: null,
    workspaces: [{ slug: 'acme', role: 'member' }],
    token: { kind: 'workspace' },
  })
})

test('an agent sees its repository and its owner', async () => {
  await world.write((tx) =>
    recordActor(tx, {
      id: 'agt_1',
      kind: 'agent',
      username: 'ada/bot',
      name: null,
      on_behalf_of: ada.id,
    }),
  )
  const { caller } = await through({
    actor_id: 'agt_1',
    kind: 'agent',
    source: 'agent',
    repos: [repo],
  })
  expect(await world.call(whoami, caller, {})).toMatchObject({
    kind: 'agent',
    id: 'agt_1',
    username: 'ada/bot',
    email: null,
    site_admin: false,
    workspaces: [{ slug: 'acme', role: 'member' }],
    agent: {
      id: 'agt_1',
      name: 'bot',
      repo: 'acme/site',
      pull: null,
      on_behalf_of: { id: ada.id, username: 'ada' },
    },
    token: { kind: 'agent', repos: ['acme/site'] },
  })
})

test('an anonymous caller is refused', async () => {
  expect((await refusal(world.call(whoami, anonymous, {}))).code).toBe('unauthenticated')
})
