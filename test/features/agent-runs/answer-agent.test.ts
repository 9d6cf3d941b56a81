import { expect, test } from 'bun:test'
import { answerAgent } from '#features/agent-runs/answer-agent.ts'
import { getAgent } from '#features/agents/get-agent.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use } from './fixture.ts'

test('a question waits for its answer, which the model gets as the result', async () => {
  let sent = ''
  const { world, ada, bob, assign, run, entries } = await makeRunWorld([
    use('ask', { question: 'Which sign?' }),
    ({ body }) => {
      sent = JSON.stringify(body.messages)
      return use('write', { path: 'a', content: 'a' })
    },
    use('submit', { message: 'a' }),
    use('finish', { summary: 'a' }),
  ])
  const { pull } = await assign()
  await world.jobs()
  const { agent_id: id } = run() ?? { agent_id: '' }
  expect(run()).toMatchObject({ state: 'waiting', reason: 'it asked a question' })
  expect((await world.call(getAgent, ada, { repo: REPO, id })).state).toBe('waiting')
  const question = (await entries(pull.number)).find(({ kind }) => kind === 'question')
  expect(question).toMatchObject({ text: 'Which sign?', data: { to: 'ada' } })

  const answer = { repo: REPO, id, text: 'Plus.' }
  const eve = await world.user('eve')
  expect((await refusal(world.call(answerAgent, eve, answer))).code).toBe('not_found')
  await world.call(answerAgent, bob, answer)
  await world.jobs()
  expect(sent).toContain('Plus.')
  expect(run()?.state).toBe('resting')
  const session = await entries(pull.number)
  expect(session.find(({ kind }) => kind === 'answer')).toMatchObject({
    text: 'Plus.',
    data: { of: question?.seq },
    author: { username: 'bob' },
  })
  expect((await refusal(world.call(answerAgent, ada, answer))).reason).toBe('not_ready')
})
