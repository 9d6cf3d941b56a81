import { expect, test } from 'bun:test'
import type { TokenFacts } from '#core/caller.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { createInvite } from '#features/accounts/invites/create-invite.ts'
import { listInvites } from '#features/accounts/invites/list-invites.ts'
import { agentOf, makeWorld, refusal, withToken, workspaceCaller } from '../../../world.ts'

const world = await makeWorld()
const START = world.clock.at
const ada = await world.user('ada')
const bob = await world.user('bob')
const acme = await world.workspace('acme', { owner: ada, members: [bob] })

test('an invite for anyone is charged to its maker', async () => {
  const invite = await world.call(createInvite, ada, {})
  expect(invite).toMatchObject({
    email: null,
    workspace: null,
    charged_to: { kind: 'user', id: ada.id },
    state: 'pending',
    used_by: null,
    used_at: null,
    created_at: timestamp(START),
    expires_at: timestamp(START + 30 * DAY),
  })
  expect(invite.id).toMatch(/^ivt_[0-9a-z]{26}$/)
  expect(invite.url).toMatch(/^https:\/\/hearth\.test\/register\?invite=[\w-]{43}$/)
})

test('it can be bound to an address, and to a workspace by an owner', async () => {
  expect(
    await world.call(createInvite, ada, { email: 'Cy@Example.com', workspace: 'acme' }),
  ).toMatchObject({
    email: 'cy@example.com',
    workspace: 'acme',
    charged_to: { kind: 'workspace', id: acme.id },
  })
})

test('a token of an owner invites into the workspace only within its limits', async () => {
  const site = await world.repo('acme/site', { as: ada })
  const invite = (change: Partial<TokenFacts>) =>
    world.call(createInvite, withToken(ada, change), { workspace: 'acme' })
  expect((await refusal(invite({ repos: [site.id] }))).reason).toBe('role')
  expect((await refusal(invite({ role: 'write' }))).reason).toBe('role')
  expect((await refusal(invite({ workspace: 'wsp_other' }))).code).toBe('not_found')
  expect((await invite({ workspace: acme.id })).workspace).toBe('acme')
})

test('there are none while nobody could use them', async () => {
  for (const sign_up of ['closed', 'sso_only'] as const) {
    const shut = await makeWorld({ sign_up })
    const error = await refusal(shut.call(createInvite, await shut.user('ada'), {}))
    expect([error.code, error.reason]).toEqual(['conflict', 'not_available'])
  }
})

test('refusals make no invite', async () => {
  const made = async () =>
    (await world.call(listInvites, ada, {})).invites.length +
    (await world.call(listInvites, bob, {})).invites.length
  const before = await made()
  expect((await refusal(world.call(createInvite, ada, { email: 'not an address' }))).field).toBe(
    'email',
  )
  expect((await refusal(world.call(createInvite, bob, { workspace: 'acme' }))).reason).toBe('role')
  expect(
    (await refusal(world.call(createInvite, await world.user('eve'), { workspace: 'acme' }))).code,
  ).toBe('not_found')
  expect((await refusal(world.call(createInvite, workspaceCaller(acme), {}))).reason).toBe(
    'person_required',
  )
  expect(
    (await refusal(world.call(createInvite, agentOf(ada, { id: 'rep_1' }, { id: 'agt_1' }), {})))
      .reason,
  ).toBe('person_required')
  expect(
    (await refusal(world.call(createInvite, withToken(ada, { scopes: ['user:read'] }), {}))).reason,
  ).toBe('scope')
  expect(
    (await refusal(world.call(createInvite, await world.user('nora', { verified: false }), {})))
      .reason,
  ).toBe('email_unconfirmed')
  expect(await made()).toBe(before)
})
