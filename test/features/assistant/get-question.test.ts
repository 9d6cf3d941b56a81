import { expect, test } from 'bun:test'
import { deleteQuestion } from '#features/assistant/delete-question.ts'
import { getQuestion } from '#features/assistant/get-question.ts'
import { listQuestions } from '#features/assistant/list-questions.ts'
import { sweepQuestions } from '#features/assistant/sweep.ts'
import { DAY } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeAskWorld, REPO } from './fixture.ts'

test('a question is seen by the person who asked only, until it is deleted or old', async () => {
  const { route, ask, world, ada, bob } = await makeAskWorld([{ text: 'Yes.' }, { text: 'No.' }])
  await route()
  const first = await ask('Does it heat?')
  const of = { repo: REPO, question: first.id }
  expect((await refusal(world.call(getQuestion, bob, of))).status).toBe(404)
  expect((await refusal(world.call(deleteQuestion, bob, of))).status).toBe(404)
  const listed = async () => (await world.call(listQuestions, ada, { repo: REPO })).items
  expect(await listed()).toEqual([first])
  expect((await world.call(listQuestions, bob, { repo: REPO })).items).toEqual([])
  await world.call(deleteQuestion, ada, of)
  expect(await listed()).toEqual([])
  await ask()
  world.clock.advance(31 * DAY)
  await sweepQuestions.run(
    { hearth: world.hearth, signal: new AbortController().signal } as never,
    null,
  )
  expect(await listed()).toEqual([])
})
