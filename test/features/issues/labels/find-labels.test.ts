import { expect, test } from 'bun:test'
import { createLabel } from '#features/issues/labels/create-label.ts'
import { findLabels } from '#features/issues/labels/find-labels.ts'
import { refusal } from '../../../world.ts'
import { makeIssueWorld } from '../fixture.ts'

const { world, ada, otto } = await makeIssueWorld()
const repo = 'acme/site'
const find = async (names: string[]) =>
  (await world.call(findLabels, ada, { repo, names })).map(({ name }) => name)

test('labels are found by their names, in any case, and unknown names are left out', async () => {
  await world.call(createLabel, ada, { repo, name: 'Ärger' })
  expect(await find(['question', 'ÄRGER', 'nothing', 'bug'])).toEqual(['bug', 'question', 'Ärger'])
  expect(await find([])).toEqual([])
  expect(
    await refusal(world.call(findLabels, otto, { repo: 'acme/vault', names: ['bug'] })),
  ).toMatchObject({ status: 404 })
})
