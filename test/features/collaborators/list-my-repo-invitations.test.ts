import { expect, test } from 'bun:test'
import { listMyRepoInvitations } from '#features/collaborators/list-my-repo-invitations.ts'
import { refusal, withToken } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

test('pending invitations by username and by confirmed address, newest first', async () => {
  const { world, ada, out, repo, invite, decline } = await seeded()
  const first = await invite('out')
  await world.repo('acme/other', { as: ada })
  const { items } = await world.call(listMyRepoInvitations, out, {})
  expect(items).toMatchObject([{ id: first.id, repository: { full_name: repo }, state: 'pending' }])
  await decline(first.id)
  const second = await invite('out@example.com')
  const list = (caller: typeof out) => world.call(listMyRepoInvitations, caller, {})
  expect((await list(out)).items.map(({ id }) => id)).toEqual([second.id])
  expect((await list(ada)).items).toEqual([])
  expect((await refusal(list(withToken(out, { scopes: ['repo:read'] })))).reason).toBe('scope')
})
