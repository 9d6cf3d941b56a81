import { expect, test } from 'bun:test'
import { listIdentities, putIdentity } from '#features/accounts/index.ts'
import { removeIdentity } from '#features/accounts/sign-in/remove-identity.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { auditedActions } from '../audited.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

test('a user unlinks an identity with the password; without one there is no way to', async () => {
  const world = await makeWorld()
  const ada = await withPassword(world, 'ada')
  const bob = await world.user('bob')
  const link = (user_id: string, subject: string) =>
    world.write((tx) =>
      putIdentity(tx.db, { provider: 'corp', subject, user_id, label: subject, now: tx.now }),
    )
  await link(ada.id, 'a1')
  await link(bob.id, 'b1')
  const remove = (subject: string, password: string, as = ada) =>
    world.call(removeIdentity, as, { provider: 'corp', subject, password })
  expect((await refusal(remove('a1', 'wrong'))).field).toBe('password')
  expect((await refusal(remove('b1', PASSWORD))).code).toBe('not_found')
  expect((await refusal(remove('b1', '', bob))).reason).toBe('not_available')
  expect(await remove('a1', PASSWORD)).toBeNull()
  expect(listIdentities(world.hearth.db, ada.id)).toEqual([])
  expect(listIdentities(world.hearth.db, bob.id)).toHaveLength(1)
  expect(auditedActions(world, ada.id)).toEqual(['user.identity_unlinked'])
}, 120_000)
