import { expect, test } from 'bun:test'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { listWorkspaceInvites } from '#features/workspaces/list-workspace-invites.ts'
import { revokeWorkspaceInvite } from '#features/workspaces/revoke-workspace-invite.ts'
import { makeWorld, refusal } from '../../world.ts'

test('owners see pending invitations first, then answered ones', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  const invite = (email: string) => world.call(inviteMember, ada, { workspace: 'acme', email })
  await invite('one@example.com')
  const { id } = await invite('two@example.com')
  await world.call(revokeWorkspaceInvite, ada, { workspace: 'acme', id })
  const { items } = await world.call(listWorkspaceInvites, ada, { workspace: 'acme' })
  expect(items.map(({ email, state }) => [email, state])).toEqual([
    ['one@example.com', 'pending'],
    ['two@example.com', 'withdrawn'],
  ])
  const page = await world.call(listWorkspaceInvites, ada, { workspace: 'acme', per_page: 1 })
  expect([page.items.length, page.next]).toEqual([1, '2'])
  expect(await refusal(world.call(listWorkspaceInvites, bob, { workspace: 'acme' }))).toMatchObject(
    { reason: 'role' },
  )
})
