import { expect, test } from 'bun:test'
import { listRepoInvitations } from '#features/collaborators/list-repo-invitations.ts'
import { refusal } from '../../world.ts'
import { seeded } from './invitation-fixture.ts'

test('an invitation to an address names no account before it is answered', async () => {
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
