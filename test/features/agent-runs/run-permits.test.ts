/** Runs that wait for a free place. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { assignIssue } from '#features/pulls/lifecycle/assign-issue.ts'
import { getAgentOverview } from '#features/agents/get-agent-overview.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import type { Asked, Reply } from '../../models/provider.ts'
import { updateSiteSettings } from '#features/site/update-site-settings.ts'
import { makeRunWorld, REPO, use } from './fixture.ts'

const SECOND = 'acme/second'
const issueOf = ({ body }: Asked): string =>
  /issue (one|two|three)/.exec(JSON.stringify(body.messages))?.[1] ?? ''

test('as many are at work as the setting says, and a repository waits its turn', async () => {
  const hold = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const order: string[] = []
  const step = (asked: Asked): Reply => {
    order.push(issueOf(asked))
    begun.resolve()
    return { ...use('ask', { question: 'What?' }), after: hold.promise }
  }
  const { world, ada } = await makeRunWorld([step, step, step], {
    settings: { agents: { at_once: 1, hosts: [] } },
  })
  await world.repo(SECOND, { as: ada, private: true })
  await world.commit(SECOND, 'main', { 'a.txt': 'a\n' })
  for (const [repo, title] of [
    [REPO, 'issue one'],
    [REPO, 'issue two'],
    [SECOND, 'issue three'],
  ] as const) {
    const { number } = await world.call(createIssue, ada, { repo, title })
    await world.call(assignIssue, ada, { repo, number })
    world.clock.advance(1_000)
  }
  const jobs = world.jobs()
  await begun.promise
  const seen = await world.call(getAgentOverview, ada, { workspace: 'acme' })
  expect(seen.agents.map(({ agent }) => agent.queued_before).sort()).toEqual([0, 1, null])
  hold.resolve()
  await jobs
  // The second repository had nobody at work when the place became free.
  expect([order[0], [...order].sort()]).toEqual(['one', ['one', 'three', 'two']])
})

test('runs that wait are stopped as those at work are', async () => {
  const hold = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const { world, ada, assign, provider, db } = await makeRunWorld(
    [() => (begun.resolve(), { ...use('ask', { question: 'What?' }), after: hold.promise })],
    { settings: { agents: { at_once: 1, hosts: [] } } },
  )
  await assign()
  const { number } = await world.call(createIssue, ada, { repo: REPO, title: 'issue two' })
  await world.call(assignIssue, ada, { repo: REPO, number })
  const jobs = world.jobs()
  await begun.promise
  await world.call(stopAllAgents, ada, { repo: REPO, reason: 'enough' })
  await jobs
  hold.resolve()
  expect(db.all('SELECT DISTINCT state, reason FROM agent_runs')).toEqual([
    { state: 'stopped', reason: 'enough' },
  ])
  expect(provider.asked).toHaveLength(1)
})

test('a changed setting counts those at work, and those that wait hear of it', async () => {
  const RUNS = 5
  const holds = Array.from({ length: RUNS }, () => Promise.withResolvers<void>())
  const asked = Array.from({ length: RUNS }, () => Promise.withResolvers<void>())
  const step = (_: Asked, number: number): Reply => {
    asked[number]?.resolve()
    const after = holds[number]?.promise
    return { ...use('ask', { question: 'What?' }), ...(after ? { after } : {}) }
  }
  const steps = Array.from({ length: RUNS }, (_, number) => (one: Asked) => step(one, number))
  const { world, ada, provider, db } = await makeRunWorld(steps, {
    settings: { agents: { at_once: 2, hosts: [] } },
  })
  const admin = await world.user('root', { site_admin: true })
  const setLimit = (limit: number) =>
    world.call(updateSiteSettings, admin, { settings: { 'agents.at_once': limit } })
  const working = (): number =>
    db.one<{ count: number }>("SELECT count(*) AS count FROM agent_runs WHERE state = 'working'")
      ?.count ?? 0
  for (let at = 0; at < RUNS; at++) {
    const { number } = await world.call(createIssue, ada, { repo: REPO, title: `issue ${at}` })
    await world.call(assignIssue, ada, { repo: REPO, number })
  }
  const jobs = world.jobs()
  await Promise.all([asked[0]?.promise, asked[1]?.promise])
  await setLimit(1)
  const beforeEnd = provider.asked.length
  holds[0]?.resolve()
  holds[1]?.resolve()
  await asked[2]?.promise
  expect([beforeEnd, working()]).toEqual([2, 1])
  // Nothing ends, so the two begin because of the setting alone.
  await setLimit(3)
  await Promise.all([asked[3]?.promise, asked[4]?.promise])
  expect(working()).toBe(3)
  for (const { resolve } of holds) resolve()
  await jobs
})
