import { nowhere } from '#core/audit.ts'
import { expect, test } from 'bun:test'
import { DAY } from '#lib/time.ts'
import { createMailedLinkFor } from '#features/accounts/index.ts'
import { createSignIn } from '#features/accounts/sign-in/sign-ins.ts'
import { sweepAccounts } from '#features/accounts/sweep.ts'
import { makeWorld } from '../../world.ts'

test('expired links and sign-ins are deleted, others stay', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.write((tx) => createSignIn(tx, ada, { method: 'password', origin: nowhere }))
  await createMailedLinkFor(world.hearth, 'reset', 'ada')
  world.clock.advance(29 * DAY)
  await world.write((tx) => createSignIn(tx, ada, { method: 'password', origin: nowhere }))
  await createMailedLinkFor(world.hearth, 'reset', 'ada')
  world.clock.advance(DAY)
  await createMailedLinkFor(world.hearth, 'reset', 'ada')
  await sweepAccounts.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_1' },
    null,
  )
  expect(world.hearth.db.all('SELECT 1 FROM sign_ins')).toHaveLength(1)
  expect(world.hearth.db.all('SELECT 1 FROM proofs')).toHaveLength(1)
})
