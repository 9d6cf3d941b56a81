import { expect, test } from 'bun:test'
import { listSecrets } from '#features/variables/list-secrets.ts'
import { refusal } from '../../world.ts'
import { makeVariablesWorld, REPO } from './fixture.ts'

test('shows names to those with Write, and no value to anyone', async () => {
  const { world, ada, bob, eve, secret, variable } = await makeVariablesWorld()
  await secret('TOKEN', { value: 'hush hush', note: 'for the shop' })
  await variable('REGION', { value: 'eu' })
  for (const who of [ada, bob]) {
    const { items, total } = await world.call(listSecrets, who, REPO)
    expect(total).toBe(1)
    expect(items[0]).toMatchObject({
      name: 'TOKEN',
      kind: 'secret',
      value: null,
      note: 'for the shop',
    })
  }
  expect((await refusal(world.call(listSecrets, eve, REPO))).status).toBe(404)
})
