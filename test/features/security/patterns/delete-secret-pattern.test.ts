import { expect, test } from 'bun:test'
import { deleteSecretPattern } from '#features/security/patterns/delete-secret-pattern.ts'
import { refusal } from '../../../world.ts'
import { ACME_KEY, makePatternsWorld } from './fixture.ts'

test('a deleted pattern is looked for no more, and its alerts stay', async () => {
  const { world, ada, bob, repo, main, commit, pushTo, alerts, add } = await makePatternsWorld()
  const { id } = await add({ enabled: true })
  await pushTo('a', await commit(main, { a: ACME_KEY }))
  await world.jobs()
  expect(await refusal(world.call(deleteSecretPattern, bob, { repo, id }))).toMatchObject({
    reason: 'role',
  })
  await world.call(deleteSecretPattern, ada, { repo, id })
  expect(await refusal(world.call(deleteSecretPattern, ada, { repo, id }))).toMatchObject({
    code: 'not_found',
  })
  await pushTo('b', await commit(main, { b: ACME_KEY.replace('k3', 'k4') }))
  await world.jobs()
  expect(await alerts()).toHaveLength(1)
})
