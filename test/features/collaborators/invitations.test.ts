import { describe, expect, test } from 'bun:test'
import { acceptRepoInvitation } from '#features/collaborators/accept-repo-invitation.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { declineRepoInvitation } from '#features/collaborators/decline-repo-invitation.ts'
import { listCollaborators } from '#features/collaborators/list-collaborators.ts'
import { listMyRepoInvitations } from '#features/collaborators/list-my-repo-invitations.ts'
import { listRepoInvitations } from '#features/collaborators/list-repo-invitations.ts'
import { revokeRepoInvitation } from '#features/collaborators/revoke-repo-invitation.ts'
import { deleteRepo } from '#features/repos/delete-repo.ts'
import { addMember } from '#features/workspaces/index.ts'
import { DAY } from '#lib/time.ts'
import type { Role, UserCaller } from '#core/caller.ts'
import { agentOf, refusal, withToken } from '../../world.ts'
import { letters } from '../accounts/mailbox.ts'
import { makeTeamWorld } from '../teams/fixture.ts'

async function seeded() {
  const teams = await makeTeamWorld()
  const { world, ada, out } = teams
  const repo = 'acme/site'
  const invite = async (invitee = 'out', role: Role = 'write', as: UserCaller = ada) => {
    const { invitation } = await world.call(addCollaborator, as, { repo, invitee, role })
    if (!invitation) throw new Error('no invitation')
    return invitation
  }
  return {
    ...teams,
    repo,
    invite,
    accept: (id: string, as: UserCaller = out) => world.call(acceptRepoInvitation, as, { id }),
    decline: (id: string, as: UserCaller = out) => world.call(declineRepoInvitation, as, { id }),
    revoke: (id: string, as: UserCaller = ada) =>
      world.call(revokeRepoInvitation, as, { repo, id }),
    mine: async (as: UserCaller = out) =>
      (await world.call(listMyRepoInvitations, as, {})).items.map(({ id }) => id),
  }
}

test('invited by username: mailed, listed on both sides, and nothing is given before it is accepted', async () => {
  const { world, ada, out, repo, site, invite, accept, mine, roleOf, audits } = await seeded()
  const invitation = await invite()
  expect(invitation).toMatchObject({
    kind: 'repository',
    workspace: 'acme',
    repository: { id: site.id, name: 'site', full_name: repo },
    invitee: { id: out.id, username: 'out' },
    email: null,
    role: 'write',
    state: 'pending',
    invited_by: { username: 'ada' },
    answered_at: null,
    html_url: `${world.hearth.settings.site_url}/invite/${invitation.id}`,
  })
  expect(Date.parse(invitation.expires_at) - Date.parse(invitation.created_at)).toBe(7 * DAY)
  expect(await roleOf(out)).toBe('nothing')
  expect(await mine()).toEqual([invitation.id])
  const [letter] = await letters(world)
  expect([
    letter?.to,
    letter?.text.includes(invitation.html_url),
    letter?.text.includes('code='),
  ]).toEqual(['out@example.com', true, false])
  expect((await world.call(listCollaborators, ada, { repo })).invitations).toMatchObject([
    { id: invitation.id },
  ])
  expect((await refusal(invite())).reason).toBe('already_exists')
  expect(await accept(invitation.id)).toMatchObject({
    state: 'accepted',
    answered_at: expect.any(String),
  })
  expect(await roleOf(out)).toBe('write')
  expect(await mine()).toEqual([])
  expect((await refusal(accept(invitation.id))).reason).toBe('not_open')
  expect(world.events('repo.collaborator_added')).toMatchObject([
    { actor_id: out.id, data: { username: 'out', role: 'write' } },
  ])
  for (const action of [
    'repo.collaborator_invited',
    'repo.invitation_accepted',
    'repo.collaborator_added',
  ])
    expect([action, audits(action).length]).toEqual([action, 1])
  expect((await refusal(invite())).reason).toBe('already_exists')
})

test('invited by address: it does not say whose it is until they answer', async () => {
  const { world, ada, out, repo, invite, accept, mine } = await seeded()
  const invitation = await invite('Out@Example.com', 'read')
  expect([invitation.invitee, invitation.email]).toEqual([null, 'out@example.com'])
  const unknown = await invite('nobody@example.com', 'read')
  expect(
    Object.entries(unknown).filter(([name]) => !['id', 'email', 'html_url'].includes(name)),
  ).toEqual(
    Object.entries(invitation).filter(([name]) => !['id', 'email', 'html_url'].includes(name)),
  )
  expect(await mine()).toEqual([invitation.id])
  expect((await accept(invitation.id)).invitee?.username).toBe('out')
  expect(
    (await world.call(listRepoInvitations, ada, { repo })).items.map(({ id, state }) => [
      id,
      state,
    ]),
  ).toEqual([
    [unknown.id, 'pending'],
    [invitation.id, 'accepted'],
  ])
  const unconfirmed = await world.user('claims', { verified: false })
  await world.write((tx) =>
    tx.db.run(
      'UPDATE emails SET email = ? WHERE user_id = ?',
      'nobody@example.com',
      unconfirmed.id,
    ),
  )
  expect(await mine(unconfirmed)).toEqual([])
  expect((await refusal(accept(unknown.id, unconfirmed))).reason).toBe('email_unconfirmed')
  expect((await refusal(accept(unknown.id, { ...unconfirmed, verified: true }))).code).toBe(
    'not_found',
  )
  expect(out.username).toBe('out')
})

describe('what ends it', () => {
  test('declined, taken back or too old: it gives nothing any more', async () => {
    const { world, out, ada, repo, invite, accept, decline, revoke, mine, roleOf } = await seeded()
    const first = await invite()
    expect((await decline(first.id)).state).toBe('declined')
    const second = await invite()
    expect((await revoke(second.id)).state).toBe('withdrawn')
    expect((await refusal(revoke(second.id))).reason).toBe('not_open')
    const third = await invite()
    world.clock.advance(7 * DAY + 1)
    for (const { id } of [first, second, third])
      expect((await refusal(accept(id))).reason).toBe('not_open')
    expect([await mine(), await roleOf(out)]).toEqual([[], 'nothing'])
    expect(
      (await world.call(listRepoInvitations, ada, { repo })).items.map(({ state }) => state),
    ).toEqual(['expired', 'withdrawn', 'declined'])
    expect((await invite()).state).toBe('pending')
    world.clock.advance(31 * DAY)
    expect((await world.call(listRepoInvitations, ada, { repo })).items).toEqual([])
    expect(world.events('repo.collaborator_added')).toEqual([])
  })

  test('the repository is deleted', async () => {
    const { world, ada, repo, invite, accept, mine } = await seeded()
    const { id } = await invite()
    await world.call(deleteRepo, ada, { repo, confirm: repo })
    expect(await mine()).toEqual([])
    expect((await refusal(accept(id))).reason).toBe('not_open')
  })

  test('five a day to one person are enough', async () => {
    const { invite, revoke } = await seeded()
    for (let i = 0; i < 5; i++) await revoke((await invite()).id)
    expect((await refusal(invite())).reason).toBe('limit_reached')
    expect((await invite('somebody@example.com')).state).toBe('pending')
  })
})

test('nobody answers, sees or takes back what is not theirs', async () => {
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

test('whoever was given more meanwhile keeps it', async () => {
  const { world, ada, out, workspace, invite, accept, roleOf, db } = await seeded()
  const { id } = await invite('out', 'read')
  await world.write((tx) =>
    addMember(tx, { workspace_id: workspace.id, user_id: out.id, role: 'owner' }),
  )
  expect((await accept(id)).state).toBe('accepted')
  expect(await roleOf(out)).toBe('admin')
  expect(db.all('SELECT 1 FROM collaborators')).toEqual([])
  expect(ada.username).toBe('ada')
})
