import { expect, test } from 'bun:test'
import { getAgent } from '#features/agents/get-agent.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import type { AgentCaller } from '#core/caller.ts'
import { HOUR, MINUTE } from '#lib/time.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

const there = (caller: AgentCaller | null): AgentCaller => {
  if (!caller) throw new Error('the agent has no caller')
  return caller
}

test("the state follows the token's use and the session", async () => {
  const { world, ada, start } = await makeAgentWorld()
  const { agent, secret, caller } = await start()
  const state = async () => (await world.call(getAgent, ada, { repo: REPO, id: agent.id })).state
  expect(await state()).toBe('idle')
  const me = there(caller())
  await world.call(whoami, me, {})
  world.hearth.writer.flush()
  expect(await state()).toBe('working')
  world.clock.advance(6 * MINUTE)
  expect(await state()).toBe('idle')
  const { pull } = await world.call(createPull, me, { repo: REPO, title: 'Mine' })
  const say = (
    kind: string,
    data: Record<string, unknown> | null = null,
    as: Parameters<typeof world.call>[1] = me,
  ) =>
    world.call(appendSession, as, {
      repo: REPO,
      number: pull.number,
      entries: [{ kind, text: 'x', ...(data ? { data } : {}) }],
    })
  const { last_seq } = await say('question', { to: 'ada' })
  expect(await state()).toBe('waiting')
  await say('message', null, ada)
  expect(await state()).toBe('waiting')
  await say('answer', { of: last_seq }, ada)
  expect(await state()).toBe('idle')
  await say('question', { to: 'ada' })
  await say('message')
  expect(await state()).toBe('idle')
  world.clock.advance(24 * HOUR)
  expect(await state()).toBe('finished')
  expect(world.hearth.callers.byToken(secret)).toBeNull()
  expect(await world.call(stopAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'finished',
    stopped: null,
  })
})
