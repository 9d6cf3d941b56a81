import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { listLanguages } from '#features/repos/insights/list-languages.ts'
import { makeCode, repo } from '../code.ts'

const languages = async (world: Awaited<ReturnType<typeof makeCode>>['world']) =>
  (await world.call(listLanguages, anonymous, { repo })).items

test('languages by bytes with their share, of the current commit', async () => {
  const { world } = await makeCode()
  expect(await languages(world)).toEqual([{ language: 'TypeScript', bytes: 4, percent: 100 }])
  await world.commit(repo, 'main', { 'x.py': 'x = 1\nyy=2\nz', 'docs/conf.py': 'x\n'.repeat(99) })
  expect(await languages(world)).toEqual([
    { language: 'Python', bytes: 12, percent: 75 },
    { language: 'TypeScript', bytes: 4, percent: 25 },
  ])
})

test('an empty repository has none', async () => {
  const { world } = await makeCode()
  await world.repo('acme/empty')
  expect(await world.call(listLanguages, anonymous, { repo: 'acme/empty' })).toMatchObject({
    items: [],
  })
})
