import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createAdvisory } from '#features/security/reports/create-advisory.ts'
import { listAdvisories } from '#features/security/reports/list-advisories.ts'
import { updateAdvisory } from '#features/security/reports/update-advisory.ts'
import { makeReportWorld, REPO } from './fixture.ts'

test('anyone sees published advisories of a public repository, admins see drafts', async () => {
  const { world, ada, mel } = await makeReportWorld()
  const create = (title: string) =>
    world.call(createAdvisory, ada, { repo: REPO, title, description: 'd', severity: 'low' })
  await create('Draft')
  const { id } = await create('Public')
  await world.call(updateAdvisory, ada, { repo: REPO, id, state: 'published' })
  const titles = async (who: Parameters<typeof world.call>[1], input: object = {}) =>
    (await world.call(listAdvisories, who, { repo: REPO, ...input })).items.map(
      ({ title }) => title,
    )
  expect(await titles(anonymous)).toEqual(['Public'])
  expect(await titles(mel, { state: 'draft' })).toEqual([])
  expect(await titles(ada)).toEqual(['Public', 'Draft'])
  expect(await titles(ada, { state: 'draft' })).toEqual(['Draft'])
})
