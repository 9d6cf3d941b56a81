import { expect, test } from 'bun:test'
import { updateMember } from '#features/workspaces/update-member.ts'
import { makeWorld, refusal, withToken } from '../../world.ts'

const world = await makeWorld()
const ada = await world.user('ada')
const bob = await world.user('bob')
await world.workspace('acme', { owner: ada, members: [bob] })
const update = (username: string, role: 'member' | 'owner', caller = ada) =>
  world.call(updateMember, caller, { workspace: 'acme', username, role })

test('the last owner cannot be demoted', async () => {
  const last = await refusal(update('ada', 'member'))
  expect([last.code, last.reason]).toEqual(['conflict', 'last_owner'])
  expect(await update('ada', 'owner')).toMatchObject({ role: 'owner' })
  expect(await update('BOB', 'owner')).toMatchObject({
    user: { username: 'bob' },
    role: 'owner',
    two_factor_enabled: false,
  })
  expect(await update('ada', 'member')).toMatchObject({ role: 'member', two_factor_enabled: null })
  expect((await refusal(update('bob', 'member'))).reason).toBe('role')
  await update('ada', 'owner', bob)
})

test('owners change members, and nobody else does', async () => {
  const cy = await world.user('cy')
  expect((await refusal(update('cy', 'owner'))).code).toBe('not_found')
  expect((await refusal(update('bob', 'member', cy))).code).toBe('not_found')
  expect(
    (await refusal(update('bob', 'member', withToken(ada, { scopes: ['workspace:admin'] }))))
      .details,
  ).toEqual({ scope: 'access:admin' })
  expect(
    (
      await refusal(
        world.call(updateMember, ada, {
          workspace: 'acme',
          username: 'bob',
          role: 'king' as 'owner',
        }),
      )
    ).field,
  ).toBe('role')
})

test('of two owners who demote each other concurrently one stays', async () => {
  const results = await Promise.allSettled([
    update('bob', 'member', ada),
    update('ada', 'member', bob),
  ])
  expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})
