import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createIssue } from '#features/issues/index.ts'
import { listEventTitles } from '#features/overview/index.ts'
import { makeWorld, refusal } from '../../world.ts'

test('events of the repository alone have titles, for those who see it', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/open', { as: ada, private: false })
  await world.repo('acme/closed', { as: ada, private: true })
  await world.commit('acme/open', 'main', { a: 'a\n' }, { message: 'Light it\n\nmore' })
  await world.call(createIssue, ada, { repo: 'acme/open', title: 'Too hot' })
  await world.call(createIssue, ada, { repo: 'acme/closed', title: 'A secret' })
  const events = world.events().map(({ id }) => id)
  const titles = async (repo: string) =>
    (await world.call(listEventTitles, anonymous, { repo, events })).items.map(({ title }) => title)
  expect((await titles('acme/open')).sort()).toEqual(['Light it', 'Too hot'])
  expect(await refusal(titles('acme/closed'))).toMatchObject({ status: 404 })
})
