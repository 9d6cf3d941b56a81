import { expect, test } from 'bun:test'
import type { AgentCaller } from '#core/caller.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { refusal } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

test('an agent that was started for somebody else’s pull request writes in its session, and in no other', async () => {
  const { world, ada, otto, ready, start } = await makeAgentWorld()
  const number = await ready(otto)
  const other = await ready(otto, { 'c.txt': 'c\n' })
  const { agent, caller } = await start({ name: 'helper', pull: number })
  const { caller: free } = await start({ name: 'free' })
  const say = (as: AgentCaller | null, at: number) =>
    world.call(appendSession, as as AgentCaller, {
      repo: REPO,
      number: at,
      entries: [{ kind: 'message', text: 'I mend the test' }],
    })
  const helper = caller()
  await say(helper, number)
  expect((await world.call(getSession, otto, { repo: REPO, number })).items.at(-1)).toMatchObject({
    kind: 'message',
    text: 'I mend the test',
    author: { id: agent.id },
  })
  expect(await refusal(say(helper, other))).toMatchObject({ status: 403, reason: 'role' })
  expect(await refusal(say(free(), number))).toMatchObject({ status: 403, reason: 'role' })
  await world.call(stopAgent, ada, { repo: REPO, id: agent.id })
  expect(await refusal(say(helper, number))).toMatchObject({ status: 403, reason: 'role' })
})
