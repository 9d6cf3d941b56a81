import { expect, test } from 'bun:test'
import { listVariables } from '#features/variables/list-variables.ts'
import { makeVariablesWorld, REPO, WORKSPACE } from './fixture.ts'

test('lists the rows of one owner, newest first, and never a secret', async () => {
  const { world, ada, variable, secret } = await makeVariablesWorld()
  await variable('A', { value: '1' })
  await variable('B', { value: '2' })
  await variable('A', { value: '3', environments: ['live'] })
  await variable('C', { value: '4' }, WORKSPACE)
  await secret('D', { value: '5' })
  const { items, total } = await world.call(listVariables, ada, REPO)
  expect([total, items.map(({ name, value }) => `${name}=${value}`)]).toEqual([
    3,
    ['A=3', 'B=2', 'A=1'],
  ])
  const second = await world.call(listVariables, ada, { ...REPO, per_page: 2, page: 2 })
  expect(second.items.map(({ value }) => value)).toEqual(['1'])
  expect((await world.call(listVariables, ada, WORKSPACE)).items.map(({ name }) => name)).toEqual([
    'C',
  ])
})
