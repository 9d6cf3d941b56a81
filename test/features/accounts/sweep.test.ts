import { nowhere } from '#core/audit.ts'
import { expect, test } from 'bun:test'
import { DAY } from '#lib/time.ts'
import { linkFor } from '#features/accounts/index.ts'
import { startSignIn } from '#features/accounts/sign-ins.ts'
import { sweepAccounts } from '#features/accounts/sweep.ts'
import { makeWorld } from '../../world.ts'

test('ended links and sign-ins are forgotten, others stay', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.write((tx) => startSignIn(tx, ada, { method: 'password', origin: nowhere }))
  await linkFor(world.hearth, 'reset', 'ada')
  world.clock.advance(29 * DAY)
  await world.write((tx) => startSignIn(tx, ada, { method: 'password', origin: nowhere }))
  await linkFor(world.hearth, 'reset', 'ada')
  world.clock.advance(DAY)
  await linkFor(world.hearth, 'reset', 'ada')
  await sweepAccounts.run(
    { hearth: world.hearth, signal: new AbortController().signal, attempt: 1, id: 'bgj_1' },
    null,
  )
  expect(world.hearth.db.all('SELECT 1 FROM sign_ins')).toHaveLength(1)
  expect(world.hearth.db.all('SELECT 1 FROM proofs')).toHaveLength(1)
})
