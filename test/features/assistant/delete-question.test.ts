import { expect, test } from 'bun:test'
import { deleteQuestion } from '#features/assistant/delete-question.ts'
import { getQuestion } from '#features/assistant/get-question.ts'
import { refusal } from '../../world.ts'
import { makeAskWorld, REPO } from './fixture.ts'

test('deletes one’s own question only', async () => {
  const { route, ask, world, ada, bob } = await makeAskWorld([{ text: 'Yes.' }])
  await route()
  const { id } = await ask()
  const of = { repo: REPO, question: id }
  expect((await refusal(world.call(deleteQuestion, bob, of))).status).toBe(404)
  await world.call(deleteQuestion, ada, of)
  expect((await refusal(world.call(getQuestion, ada, of))).status).toBe(404)
  const unknown = { repo: REPO, question: 'ask_x' }
  expect((await refusal(world.call(deleteQuestion, ada, unknown))).status).toBe(404)
})
