import { expect, test } from 'bun:test'
import { listQuestions } from '#features/assistant/list-questions.ts'
import { anonymous } from '#core/caller.ts'
import { refusal } from '../../world.ts'
import { makeAskWorld, REPO } from './fixture.ts'

test('lists one’s own questions, newest first, and none of others', async () => {
  const { route, ask, world, ada, bob } = await makeAskWorld([{ text: 'A' }, { text: 'B' }])
  await route()
  await ask('First?')
  await ask('Of Bob?', bob)
  await ask('Second?')
  const { items } = await world.call(listQuestions, ada, { repo: REPO })
  expect(items.map(({ question }) => question)).toEqual(['Second?', 'First?'])
  const page = await world.call(listQuestions, ada, { repo: REPO, per_page: 1 })
  expect([page.items.length, page.next]).toEqual([1, '2'])
  const stranger = await refusal(world.call(listQuestions, anonymous, { repo: REPO }))
  expect(stranger.status).toBe(404)
})
