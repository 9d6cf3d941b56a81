import { expect, test } from 'bun:test'
import { getSecretPattern } from '#features/security/patterns/get-secret-pattern.ts'
import { refusal } from '../../../world.ts'
import { makePatternsWorld } from './fixture.ts'

test('a pattern is read by those who may change it, at its own place', async () => {
  const { world, ada, bob, repo, add } = await makePatternsWorld()
  const made = await add()
  const get = (as = ada, owner: { repo?: string; workspace?: string } = { repo }) =>
    world.call(getSecretPattern, as, { ...owner, id: made.id })
  expect(await get()).toEqual(made)
  expect(await refusal(get(bob))).toMatchObject({ reason: 'role' })
  expect(await refusal(get(ada, { workspace: 'acme' }))).toMatchObject({ code: 'not_found' })
})
