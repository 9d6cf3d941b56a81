import { expect, test } from 'bun:test'
import { getPullAgent } from '#features/agents/get-pull-agent.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use } from '../agent-runs/fixture.ts'

test('the agent of a pull request, from its start to its end', async () => {
  const { world, ada, assign, run } = await makeRunWorld([use('ask', { question: 'What?' })])
  const { pull } = await assign()
  const on = { repo: REPO, number: pull.number }
  const agent = () => world.call(getPullAgent, ada, on)
  // No entry of its own is there yet.
  expect(await agent()).toMatchObject({ state: 'working', queued_before: 0 })
  await world.jobs()
  expect(await agent()).toMatchObject({
    id: run()?.agent_id,
    state: 'waiting',
    asked: true,
    queued_before: null,
  })
  await world.call(stopAgent, ada, { repo: REPO, id: run()?.agent_id ?? '' })
  expect((await agent())?.state).toBe('stopped')
  expect(await world.call(getPullAgent, ada, { ...on, number: 1 })).toBeNull()
  const eve = await world.user('eve')
  expect((await refusal(world.call(getPullAgent, eve, on))).code).toBe('not_found')
})
