import { expect, test } from 'bun:test'
import { deleteSecret } from '#features/variables/delete-secret.ts'
import { listSecrets } from '#features/variables/list-secrets.ts'
import { refusal, withToken } from '../../world.ts'
import { makeVariablesWorld, REPO } from './fixture.ts'

test('deletes a secret, which a variable of its name outlives', async () => {
  const { world, ada, bob, secret, variable } = await makeVariablesWorld()
  await secret('TOKEN', { value: 'hush hush' })
  const kept = await variable('TOKEN', { value: 'open' })
  expect((await refusal(world.call(deleteSecret, bob, { ...REPO, setting: 'TOKEN' }))).reason).toBe(
    'role',
  )
  expect(
    (await refusal(world.call(deleteSecret, ada, { ...REPO, setting: 'TOKEN', id: kept.id })))
      .status,
  ).toBe(404)
  await world.call(deleteSecret, withToken(ada, { scopes: ['secrets:admin'] }), {
    ...REPO,
    setting: 'token',
  })
  expect((await world.call(listSecrets, ada, REPO)).items).toEqual([])
  expect((await variable('TOKEN', { note: 'still here' })).value).toBe('open')
})
