import { expect, test } from 'bun:test'
import { getAgent } from '#features/agents/get-agent.ts'
import { endToken } from '#features/accounts/index.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { archiveRepo } from '#features/repos/lifecycle/archive-repo.ts'
import type { AgentCaller } from '#core/caller.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

const there = (caller: AgentCaller | null): AgentCaller => {
  if (!caller) throw new Error('the agent has no caller')
  return caller
}

test('an agent that reaches its cost limit is stopped', async () => {
  const { world, start, ada } = await makeAgentWorld()
  const { agent, caller } = await start({ max_usd: 1.5 })
  const me = there(caller())
  const { pull } = await world.call(createPull, me, { repo: REPO, title: 'Mine' })
  const use = (cost_usd: number) =>
    world.call(appendSession, me, {
      repo: REPO,
      number: pull.number,
      entries: [{ kind: 'usage', text: '', data: { cost_usd } }],
    })
  await use(1)
  expect(caller()).not.toBeNull()
  expect(await use(0.5)).toEqual({ appended: 1, last_seq: 2 })
  expect(caller()).toBeNull()
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'stopped',
    cost_usd: 1.5,
    stopped: { by: null, reason: 'cost_cap' },
  })
  const { items } = await world.call(getSession, ada, { repo: REPO, number: pull.number })
  expect(items.at(-1)).toMatchObject({ kind: 'error', author: null, data: { code: 'cost_cap' } })
})

test('costs that a user reports do not stop an agent', async () => {
  const { world, start, ada } = await makeAgentWorld()
  const { caller, agent } = await start({ max_usd: 1 })
  const { pull } = await world.call(createPull, there(caller()), { repo: REPO, title: 'Mine' })
  await world.call(appendSession, ada, {
    repo: REPO,
    number: pull.number,
    entries: [{ kind: 'usage', text: '', data: { cost_usd: 5 } }],
  })
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'working',
    cost_usd: 0,
  })
})

test('archiving the repository or revoking the token stops an agent', async () => {
  const { world, ada, start, row } = await makeAgentWorld()
  const leaked = await start({ name: 'leaked' })
  await world.write((tx) => endToken(tx, leaked.agent.token.id, { reason: 'found in a push' }))
  expect(await world.call(getAgent, ada, { repo: REPO, id: leaked.agent.id })).toMatchObject({
    state: 'stopped',
    stopped: { by: null, reason: 'found in a push' },
  })
  const { agent, caller } = await start()
  await world.call(archiveRepo, ada, { repo: REPO })
  expect(caller()).toBeNull()
  expect(await world.call(getAgent, ada, { repo: REPO, id: agent.id })).toMatchObject({
    state: 'stopped',
    stopped: { reason: 'the repository was archived' },
  })
  expect(row().archived_at).not.toBeNull()
})
