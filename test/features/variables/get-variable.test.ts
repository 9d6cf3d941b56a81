import { expect, test } from 'bun:test'
import { getVariable } from '#features/variables/get-variable.ts'
import { refusal } from '../../world.ts'
import { makeVariablesWorld, REPO, WORKSPACE } from './fixture.ts'

test('finds the rows of a name in any case, of this owner only', async () => {
  const { world, ada, variable, secret } = await makeVariablesWorld()
  await variable('REGION', { value: 'eu' })
  await secret('TOKEN', { value: 'hush' })
  const { items } = await world.call(getVariable, ada, { ...REPO, setting: 'Region' })
  expect(items.map(({ value }) => value)).toEqual(['eu'])
  for (const input of [
    { ...WORKSPACE, setting: 'REGION' },
    { ...REPO, setting: 'TOKEN' },
  ])
    expect((await refusal(world.call(getVariable, ada, input))).status).toBe(404)
})
