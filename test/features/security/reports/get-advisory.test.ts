import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { getAdvisory } from '#features/security/reports/get-advisory.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { refusal } from '../../../world.ts'
import { makeReportWorld, REPO } from './fixture.ts'

test('a draft does not exist for others until it is published', async () => {
  const { world, ada } = await makeReportWorld()
  const { id } = await world.call(createAdvisory, ada, {
    repo: REPO,
    title: 'Hole',
    description: 'd',
    severity: 'high',
  })
  const get = () => world.call(getAdvisory, anonymous, { repo: REPO, id })
  expect((await refusal(get())).status).toBe(404)
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  expect(await get()).toMatchObject({ id, state: 'published' })
})
