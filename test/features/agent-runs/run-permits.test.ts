/** Runs that wait for a free place. */
import { expect, test } from 'bun:test'
import { createIssue } from '#features/issues/create-issue.ts'
import { assignIssue } from '#features/pulls/lifecycle/assign-issue.ts'
import { getAgentOverview } from '#features/agents/get-agent-overview.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import type { Asked, Reply } from '../../models/provider.ts'
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
    settings: { agents: { at_once: 1 } },
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
    { settings: { agents: { at_once: 1 } } },
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
