import { describe, expect, test } from 'bun:test'
import { acceptRepoInvitation } from '#features/collaborators/accept-repo-invitation.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { listMyRepoInvitations } from '#features/collaborators/list-my-repo-invitations.ts'
import { listRepoInvitations } from '#features/collaborators/list-repo-invitations.ts'
import { revokeRepoInvitation } from '#features/collaborators/revoke-repo-invitation.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

describe('what ends it', () => {
  test('a sixth invitation a day to one user is refused', async () => {
    const { invite, revoke } = await seeded()
    for (let i = 0; i < 5; i++) await revoke((await invite()).id)
    expect((await refusal(invite())).reason).toBe('limit_reached')
    expect((await invite('somebody@example.com')).state).toBe('pending')
  })
})

test('invitations of others cannot be answered, seen or withdrawn', async () => {
  const { world, ada, bob, cy, out, site, repo, invite, accept, decline, revoke, mine, roleOf } =
    await seeded()
  const { id } = await invite()
  for (const answer of [
    accept(id, cy),
    decline(id, cy),
    accept('inv_00000000000000000000000000', out),
    accept('nonsense', out),
  ])
    expect((await refusal(answer)).code).toBe('not_found')
  expect((await refusal(revoke(id, bob))).code).toBe('not_found')
  await world.call(addCollaborator, ada, { repo, invitee: 'bob', role: 'maintain' })
  expect((await refusal(revoke(id, bob))).reason).toBe('role')
  expect((await refusal(world.call(listRepoInvitations, bob, { repo }))).reason).toBe('role')
  expect((await world.call(listCollaborators, bob, { repo })).invitations).toEqual([])
  await world.repo('acme/other', { as: ada })
  expect(
    (await refusal(world.call(revokeRepoInvitation, ada, { repo: 'acme/other', id }))).code,
  ).toBe('not_found')
  expect((await refusal(accept(id, withToken(out, { scopes: ['user:read'] })))).details).toEqual({
    scope: 'user:write',
  })
  const agent = agentOf(out, site, { id: 'agt_x' })
  for (const call of [
    world.call(acceptRepoInvitation, agent, { id }),
    world.call(listMyRepoInvitations, agent, {}),
  ])
    expect((await refusal(call)).reason).toBe('person_required')
  expect([await mine(), await mine(cy), await roleOf(cy)]).toEqual([[id], [], 'nothing'])
})
