import { expect, test } from 'bun:test'
import { addComment, createIssue, getIssue, readIssue } from '#features/issues/index.ts'
import { countQueries } from '../../queries.ts'
import { makeWorld } from '../../world.ts'

test('the page of an issue reads it without its comments, which it reads in parts', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/oven', { as: ada })
  const issue = { repo: 'acme/oven', number: 1 }
  await world.call(createIssue, ada, { repo: issue.repo, title: 'Oven' })
  await world.call(addComment, ada, { ...issue, body: 'Which oven?' })
  const { comments, ...overview } = await world.call(getIssue, ada, issue)
  expect(comments).toHaveLength(1)
  const whole = await countQueries(world.hearth, () => world.call(getIssue, ada, issue))
  const page = await countQueries(world.hearth, () => world.call(readIssue, ada, issue))
  expect(page.result).toEqual(overview)
  expect(page.queries).toBeLessThan(whole.queries)
})

test('its texts by strangers are marked', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const otto = await world.user('otto')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/oven', { as: ada, private: false })
  await world.call(createIssue, otto, { repo: 'acme/oven', title: 'Oven', body: 'Is it hot?' })
  let marked: readonly string[] = []
  await world.call(
    readIssue,
    ada,
    { repo: 'acme/oven', number: 1 },
    { untrusted: (pointers) => void (marked = pointers) },
  )
  expect(marked).toEqual(['/issue/title', '/issue/body'])
})
