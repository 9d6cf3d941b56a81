import { expect, test } from 'bun:test'
import { declineWorkspaceInvite } from '#features/workspaces/decline-workspace-invite.ts'
import { refusal } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

test('a declined invitation adds no member', async () => {
  const { world, out, invite, accept, mine, roles } = await seeded()
  const { id } = await invite('out@example.com')
  expect((await world.call(declineWorkspaceInvite, out, { id })).state).toBe('declined')
  expect((await refusal(accept(id))).reason).toBe('not_open')
  expect([await mine(), Object.keys(await roles())]).toEqual([[], ['bob', 'ada']])
})
