import { expect, test } from 'bun:test'
import { createAgent } from '#features/agents/create-agent.ts'
import { getAgentOverview } from '#features/agents/get-agent-overview.ts'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import type { OutputOf } from '#web/site.ts'
import { makeWorld, refusal } from '../../world.ts'

test('shows what runs, what waits first, with its last step and its cost', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo('acme/site', { as: ada })
  await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  const { pull } = await world.call(createPull, ada, { repo: 'acme/site', title: 'Oven' })
  const asking = await world.call(createAgent, ada, {
    repo: 'acme/site',
    name: 'asks',
    pull: pull.number,
  })
  const idle = await world.call(createAgent, ada, { repo: 'acme/site', name: 'idles' })
  const ended = await world.call(createAgent, ada, { repo: 'acme/site', name: 'ended' })
  await world.call(stopAgent, ada, { repo: 'acme/site', id: ended.id })
  const bot = world.hearth.callers.byToken(asking.token.secret ?? '')
  if (bot?.kind !== 'agent') throw new Error('the agent has a token')
  await world.call(appendSession, bot, {
    repo: 'acme/site',
    number: pull.number,
    entries: [
      { kind: 'usage', text: '', data: { cost_usd: 0.5 } },
      { kind: 'question', text: 'How hot?\nIn degrees.' },
    ],
  })
  const shown = await world.call(getAgentOverview, ada, { workspace: 'acme' })
  expect(shown.agents.map(({ agent, step }) => [agent.id, agent.state, step?.text])).toEqual([
    [asking.id, 'waiting', 'How hot?'],
    [idle.id, 'idle', undefined],
  ])
  expect(shown.agents.map(({ title }) => title)).toContain('Oven')
  expect(shown.cost_usd).toBe(0.5)
  expect(await world.call(getAgentOverview, ada, { repo: 'acme/site' })).toEqual(shown)
  expect((await world.call(getAgentOverview, bob, { workspace: 'acme' })).agents).toEqual([])
  expect((await refusal(world.call(getAgentOverview, bob, { repo: 'acme/site' }))).code).toBe(
    'forbidden',
  )
  const eve = await world.user('eve')
  expect((await refusal(world.call(getAgentOverview, eve, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
})

test('all agents that run are on some page, and those that wait are on the first one', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada')
  await world.workspace('acme', { owner: ada })
  await world.repo('acme/site', { as: ada })
  await world.repo('acme/other', { as: ada })
  await world.commit('acme/site', 'main', { 'a.txt': 'a' })
  const { pull } = await world.call(createPull, ada, { repo: 'acme/site', title: 'Oven' })
  const { number } = pull
  const asking = await world.call(createAgent, ada, {
    repo: 'acme/site',
    name: 'asks',
    pull: number,
  })
  const bot = world.hearth.callers.byToken(asking.token.secret ?? '')
  if (bot?.kind !== 'agent') throw new Error('the agent has a token')
  const entries = [{ kind: 'question' as const, text: 'How hot?' }]
  await world.call(appendSession, bot, { repo: 'acme/site', number, entries })
  const names = Array.from({ length: 129 }, (_, at) => `idles-${at}`)
  for (const name of names) await world.call(createAgent, ada, { repo: 'acme/other', name })
  const found: string[] = []
  for (let next: string | null = '1'; next !== null; ) {
    const seen: OutputOf<typeof getAgentOverview> = await world.call(getAgentOverview, ada, {
      workspace: 'acme',
      page: Number(next),
      per_page: 50,
    })
    found.push(...seen.agents.map(({ agent }) => agent.name))
    expect([seen.total, seen.waiting, [...seen.repos].sort()]).toEqual([
      130,
      1,
      ['acme/other', 'acme/site'],
    ])
    next = seen.next
  }
  expect(found).toEqual(['asks', ...names.reverse()])
})
