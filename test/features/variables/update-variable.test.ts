import { expect, test } from 'bun:test'
import { updateVariable } from '#features/variables/update-variable.ts'
import { refusal } from '../../world.ts'
import { makeVariablesWorld, REPO } from './fixture.ts'

test('changes what is given, and refuses a variable that is not there', async () => {
  const { world, ada, variable } = await makeVariablesWorld()
  const made = await variable('REGION', { value: 'eu', note: 'where' })
  const changed = await world.call(updateVariable, ada, {
    ...REPO,
    setting: 'region',
    available_to: ['deployments'],
  })
  expect([changed.id, changed.value, changed.note, changed.available_to]).toEqual([
    made.id,
    'eu',
    'where',
    ['deployments'],
  ])
  const refused = await refusal(
    world.call(updateVariable, ada, { ...REPO, setting: 'NONE', value: 'x' }),
  )
  expect(refused.status).toBe(404)
})
