import { expect, test } from 'bun:test'
import { DAY } from '#lib/time.ts'
import { createInvite } from '#features/accounts/invites/create-invite.ts'
import { listInvites } from '#features/accounts/invites/list-invites.ts'
import { revokeInvite } from '#features/accounts/invites/revoke-invite.ts'
import { makeWorld, refusal, withToken } from '../../../world.ts'

test('a pending invite is taken back once', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const invite = await world.call(createInvite, ada, {})
  const revoked = { ...invite, state: 'revoked' as const, url: null }
  expect(await world.call(revokeInvite, ada, { id: invite.id })).toEqual(revoked)
  expect((await world.call(listInvites, ada, {})).invites).toEqual([revoked])
  const again = await refusal(world.call(revokeInvite, ada, { id: invite.id }))
  expect([again.code, again.reason]).toEqual(['conflict', 'not_open'])
})

test('an expired invite is not open', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const { id } = await world.call(createInvite, ada, {})
  world.clock.advance(30 * DAY)
  expect((await refusal(world.call(revokeInvite, ada, { id }))).reason).toBe('not_open')
})

test("a workspace's invite belongs to its owners, a person's to that person", async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const own = await world.call(createInvite, bob, {})
  const shared = await world.call(createInvite, ada, { workspace: 'acme' })
  for (const [caller, id] of [
    [ada, own.id],
    [bob, shared.id],
    [ada, 'ivt_x'],
    [withToken(ada, { repos: ['rep_x'] }), shared.id],
    [withToken(ada, { workspace: 'wsp_x' }), shared.id],
  ] as const) {
    expect((await refusal(world.call(revokeInvite, caller, { id }))).code).toBe('not_found')
  }
  world.hearth.database.run(`UPDATE members SET role = 'owner' WHERE user_id = ?`, bob.id)
  expect((await world.call(revokeInvite, bob, { id: shared.id })).state).toBe('revoked')
})
