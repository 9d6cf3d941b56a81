import { describe, expect, test } from 'bun:test'
import { getWorkspace } from '#features/workspaces/get-workspace.ts'
import { refusal } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

test('an accepted invitation adds the member with its role', async () => {
  const { world, ada, out, acme, invite, accept, mine, list, roles, audits } = await seeded()
  const invitation = await invite('Out@example.com', 'owner')
  expect(invitation).toMatchObject({
    kind: 'workspace',
    workspace: 'acme',
    repository: null,
    invitee: null,
    email: 'out@example.com',
    role: 'owner',
    state: 'pending',
    invited_by: { username: 'ada' },
  })
  expect((await refusal(world.call(getWorkspace, out, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  expect((await list()).map(({ id }) => id)).toEqual([invitation.id])
  expect(await mine()).toEqual([invitation.id])
  expect((await refusal(invite('out@example.com'))).reason).toBe('already_exists')
  expect(await accept(invitation.id)).toMatchObject({
    state: 'accepted',
    invitee: { username: 'out' },
  })
  expect(await roles()).toEqual({ out: 'owner', bob: 'member', ada: 'owner' })
  expect(world.events('member.added').at(-1)).toMatchObject({
    workspace_id: acme.id,
    actor_id: out.id,
    data: { username: 'out', role: 'owner' },
  })
  for (const action of ['workspace.member_invited', 'workspace.invitation_accepted'])
    expect([action, audits(action).length]).toEqual([action, 1])
  expect((await refusal(accept(invitation.id))).reason).toBe('not_open')
  expect((await refusal(invite('out@example.com'))).reason).toBe('already_exists')
  expect(ada.username).toBe('ada')
})

test('a user at the workspace limit cannot accept, and the invitation stays pending', async () => {
  const { world, out, invite, accept, mine, roles } = await seeded({ workspaces_per_person: 2 })
  await world.workspace('one', { owner: out })
  await world.workspace('two', { owner: out })
  const { id } = await invite('out@example.com')
  expect((await refusal(accept(id))).reason).toBe('limit_reached')
  expect(await mine()).toEqual([id])
  expect((await roles()).out).toBeUndefined()
})

describe('refusals', () => {
  test('an invitation of someone else is not found', async () => {
    const { bob, invite, accept, mine } = await seeded()
    const { id } = await invite('out@example.com')
    expect((await refusal(accept(id, bob))).code).toBe('not_found')
    expect(await mine(bob)).toEqual([])
  })
})
