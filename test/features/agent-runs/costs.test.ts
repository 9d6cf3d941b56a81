/** What the built-in agent may spend. */
import { expect, test } from 'bun:test'
import { listAgents } from '#features/agents/list-agents.ts'
import { createRuleset } from '#features/rulesets/create-ruleset.ts'
import { makeRunWorld, REPO, use } from './fixture.ts'

const look = { ...use('read', { path: 'README.md' }), input_tokens: 1000, output_tokens: 1000 }

for (const by of ['max_usd', 'route', 'rule'] as const)
  test(`a cap by ${by} ends the work before it is passed`, async () => {
    const { world, ada, assign, run, entries, money, pull } = await makeRunWorld(
      new Array(50).fill(look),
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
