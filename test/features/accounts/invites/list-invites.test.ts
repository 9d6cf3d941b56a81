import { expect, test } from 'bun:test'
import { DAY } from '#lib/time.ts'
import { createInvite } from '#features/accounts/invites/create-invite.ts'
import { listInvites } from '#features/accounts/invites/list-invites.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

test('own invites are listed newest first; expired ones have no link', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const old = await world.call(createInvite, ada, {})
  world.clock.advance(30 * DAY)
  const young = await world.call(createInvite, ada, {})
  await world.call(createInvite, await world.user('bob'), {})
  expect(await world.call(listInvites, ada, {})).toEqual({
    invites: [young, { ...old, state: 'expired', url: null }],
    left: null,
  })
  expect(
    (await world.call(listInvites, ada, { page: 2, per_page: 1 })).invites.map(({ id }) => id),
  ).toEqual([old.id])
  expect(
    (await refusal(world.call(listInvites, withToken(ada, { scopes: ['repo:read'] }), {}))).details,
  ).toEqual({ scope: 'user:read' })
})

test('a limited token sees no link into a workspace', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  const { url } = await world.call(createInvite, ada, { workspace: 'acme' })
  const urls = async (caller: typeof ada) =>
    (await world.call(listInvites, caller, {})).invites.map((invite) => invite.url)
  expect(await urls(ada)).toEqual([url])
  expect(await urls(withToken(ada, { repos: ['rep_x'] }))).toEqual([null])
})
