/** What the built-in agent may spend. */
import { expect, test } from 'bun:test'
import type { AgentCaller } from '#core/caller.ts'
import { createAgent } from '#features/agents/create-agent.ts'
import { resumeAgent } from '#features/agent-runs/resume-agent.ts'
import { listAgents } from '#features/agents/list-agents.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { refusal } from '../../world.ts'
import { makeRunWorld, REPO, use, type Step } from './fixture.ts'

/** Looks at another line each time, because the same call again and again is a loop. */
const look = (_: unknown, from: number) => ({
  ...use('read', { path: 'README.md', from: from + 1 }),
  input_tokens: 1000,
  output_tokens: 1000,
})

for (const by of ['max_usd', 'route', 'rule'] as const)
  test(`a cap by ${by} ends the work before it is passed`, async () => {
    const { world, ada, assign, run, entries, money, pull } = await makeRunWorld(
      Array.from({ length: 50 }, look),
      by === 'route' ? { maxUsd: 0.03 } : {},
    )
    if (by === 'rule')
      await world.call(createRuleset, ada, {
        repo: REPO,
        name: 'Thrift',
        rules: [{ type: 'cost_cap', parameters: { max_usd: 0.03 } }],
        conditions: { ref_name: { include: ['~ALL'] } },
      })
    const { pull: made } = await assign(by === 'max_usd' ? { max_usd: 0.03 } : {})
    await world.jobs()
    expect(run()?.state).toBe('stopped')
    const sums = money(made.number)
    expect(new Set(sums).size).toBe(1)
    // A call costs $0.005, so six would be the most.
    expect(sums[0]).toBeGreaterThan(20_000)
    expect(sums[0]).toBeLessThanOrEqual(30_000)
    expect((await entries(made.number)).at(-1)).toMatchObject({
      kind: 'error',
      data: { code: 'cost_cap' },
    })
    expect((await pull(made.number)).status).toBe('draft')
    const { items } = await world.call(listAgents, ada, { repo: REPO })
    expect(items[0]).toMatchObject({ state: 'stopped', name: 'agent', model: 'small' })
  })

test('an agent that makes the same calls in vain lets a person decide', async () => {
  const same = use('read', { path: 'gone' })
  const { world, ada, assign, run, provider, entries } = await makeRunWorld([
    ...new Array<Step>(4).fill(same),
    use('read', { path: 'README.md' }),
    use('ask', { question: 'And now?' }),
  ])
  const { pull } = await assign()
  await world.jobs()
  expect(run()).toMatchObject({
    state: 'waiting',
    reason: 'it made the same calls with the same results four times',
  })
  expect(provider.asked).toHaveLength(4)
  expect((await entries(pull.number)).at(-1)?.text).toContain('the same calls')
  await world.call(resumeAgent, ada, { repo: REPO, id: run()?.agent_id ?? '' })
  await world.jobs()
  expect(run()?.reason).toBe('it asked a question')
})

test('an agent whose calls are counted reports no usage, so no text makes it spend the budget of others', async () => {
  const usage = { kind: 'usage', text: '', data: { cost_usd: 1_000_000 } }
  const { world, ada, assign, run, money, entries } = await makeRunWorld([
    use('forge', { name: 'append_session', arguments: { number: 2, entries: [usage] } }),
    use('ask', { question: 'And now?' }),
  ])
  await world.call(createRuleset, ada, {
    repo: REPO,
    name: 'Thrift',
    rules: [{ type: 'cost_cap', parameters: { max_usd: 5, per: 'day' } }],
    conditions: { ref_name: { include: ['~ALL'] } },
  })
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.state).toBe('waiting')
  expect(new Set(money(pull.number)).size).toBe(1)
  const results = (await entries(pull.number)).filter(({ kind }) => kind === 'result')
  expect(results[0]).toMatchObject({
    text: expect.stringContaining('counted by the forge'),
    data: { ok: false },
  })
})

test('an agent whose session is full waits, and does nothing that cannot be read afterwards', async () => {
  const { world, assign, run, provider, db } = await makeRunWorld([])
  const { pull } = await assign()
  await world.write((tx) =>
    tx.db.run('UPDATE pulls SET session_entries = 99999 WHERE number = ?', pull.number),
  )
  await world.jobs()
  expect(run()).toMatchObject({
    state: 'waiting',
    reason: 'the session of its pull request takes no more entries',
  })
  expect(provider.asked).toEqual([])
  expect(db.one('SELECT max(seq) AS last FROM session_entries')).toEqual({ last: 100_000 })
})

test('agents with a budget, and those that the forge runs, start no others', async () => {
  const { world, ada, assign, run, entries, issue } = await makeRunWorld([
    use('forge', { name: 'create_issue', arguments: { title: 'More work' } }),
    use('forge', { name: 'assign_issue', arguments: { number: 3 } }),
    use('forge', { name: 'update_issue', arguments: { number: 3, assignees: ['agent'] } }),
    use('ask', { question: 'And now?' }),
  ])
  const { pull } = await assign()
  await world.jobs()
  expect(run()?.reason).toBe('it asked a question')
  const results = (await entries(pull.number)).filter(({ kind }) => kind === 'result')
  expect(results.map(({ data }) => data?.ok)).toEqual([true, false, false])
  expect(results[1]?.text).toContain('starts no other agents')
  const started = async (max_usd?: number) => {
    const { token } = await world.call(createAgent, ada, {
      repo: REPO,
      name: `helper-${max_usd ?? 'free'}`,
      max_usd,
    })
    const caller = world.hearth.callers.byToken(token.secret ?? '') as AgentCaller
    return assign({ number: issue.number + 2 }, caller as never)
  }
  expect(await refusal(started(1))).toMatchObject({ reason: 'person_required' })
  expect((await started()).pull.status).toBe('draft')
})
