import { expect, test } from 'bun:test'
import { acceptWorkspaceInvite } from '#features/workspaces/accept-workspace-invite.ts'
import { inviteMember } from '#features/workspaces/invite-member.ts'
import { listMyWorkspaceInvites } from '#features/workspaces/list-my-workspace-invites.ts'
import { DAY } from '#lib/time.ts'
import { makeWorld } from '../../world.ts'

test('pending invitations to confirmed addresses, newest first, until they are answered or expire', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const out = await world.user('out')
  for (const slug of ['acme', 'bakery', 'cafe']) await world.workspace(slug, { owner: ada })
  const invite = (workspace: string) =>
    world.call(inviteMember, ada, { workspace, email: 'out@example.com' })
  const [first, second] = [await invite('acme'), await invite('bakery')]
  const list = async () => (await world.call(listMyWorkspaceInvites, out, {})).items
  expect((await list()).map(({ id }) => id)).toEqual([second.id, first.id])
  await world.call(acceptWorkspaceInvite, out, { id: second.id })
  expect((await list()).map(({ workspace }) => workspace)).toEqual(['acme'])
  world.clock.advance(7 * DAY + 1)
  const third = await invite('cafe')
  expect((await list()).map(({ id }) => id)).toEqual([third.id])
  expect((await world.call(listMyWorkspaceInvites, ada, {})).items).toEqual([])
})
