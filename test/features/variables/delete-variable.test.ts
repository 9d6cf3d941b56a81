import { expect, test } from 'bun:test'
import { deleteVariable } from '#features/variables/delete-variable.ts'
import { listVariables } from '#features/variables/list-variables.ts'
import { refusal } from '../../world.ts'
import { makeVariablesWorld, REPO } from './fixture.ts'

test('deletes one row by its id, or all rows of the name', async () => {
  const { world, ada, bob, variable } = await makeVariablesWorld()
  const all = await variable('REGION', { value: 'eu' })
  await variable('REGION', { value: 'us', environments: ['live'] })
  await variable('OTHER', { value: 'x' })
  const names = async () =>
    (await world.call(listVariables, ada, REPO)).items.map(({ value }) => value)
  const remove = (setting: string, id?: string, as = ada) =>
    world.call(deleteVariable, as, { ...REPO, setting, id })
  expect((await refusal(remove('REGION', undefined, bob))).reason).toBe('role')
  expect((await refusal(remove('OTHER', all.id))).status).toBe(404)
  await remove('region', all.id)
  expect(await names()).toEqual(['x', 'us'])
  await remove('REGION')
  expect(await names()).toEqual(['x'])
  expect((await refusal(remove('REGION'))).status).toBe(404)
})
