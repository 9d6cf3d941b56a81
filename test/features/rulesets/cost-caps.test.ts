import { expect, test } from 'bun:test'
import type { AgentCaller } from '#core/caller.ts'
import { createAgent } from '#features/agents/create-agent.ts'
import { getAgent } from '#features/agents/get-agent.ts'
import { createPull } from '#features/pulls/lifecycle/create-pull.ts'
import { appendSession } from '#features/pulls/sessions/append-session.ts'
import { getSession } from '#features/pulls/sessions/get-session.ts'
import { updateRuleset } from '#features/rulesets/update-ruleset.ts'
import { makeRuleWorld, of } from './fixture.ts'
import { REPO } from '../pulls/fixture.ts'

async function makeCostWorld() {
  const forge = await makeRuleWorld()
  const { world, ada } = forge
  const start = async (name: string) => {
    const agent = await world.call(createAgent, ada, { repo: REPO, name })
    const caller = () =>
      world.hearth.callers.byToken(agent.token.secret ?? '') as AgentCaller | null
    const me = caller()
    if (!me) throw new Error('the agent has no caller')
    const { pull } = await world.call(createPull, me, { repo: REPO, title: `By ${name}` })
    return {
      number: pull.number,
      caller,
      spend: (cost_usd: number, as = me) =>
        world.call(appendSession, as, {
          repo: REPO,
          number: pull.number,
          entries: [{ kind: 'usage', text: '', data: { cost_usd } }],
        }),
      state: () => world.call(getAgent, ada, { repo: REPO, id: agent.id }),
      last: async () =>
        (await world.call(getSession, ada, { repo: REPO, number: pull.number })).items.at(-1),
    }
  }
  return { ...forge, start }
}

test('an agent that reaches the cap of a pull request loses its token at once', async () => {
  const { rule, start, pull } = await makeCostWorld()
  await rule([of('cost_cap', { max_usd: 2 })], { name: 'Budget' })
  const [one, other] = [await start('one'), await start('other')]
  await one.spend(1.5)
  expect(one.caller()).not.toBeNull()
  await one.spend(0.5)
  expect(one.caller()).toBeNull()
  expect(await one.state()).toMatchObject({
    state: 'stopped',
    stopped: { by: null, reason: 'cost_cap' },
  })
  expect(await one.last()).toMatchObject({
    kind: 'error',
    author: null,
    data: { code: 'cost_cap' },
    text: expect.stringContaining('rule cost_cap of Budget'),
  })
  expect(pull(one.number).status).toBe('draft')
  // Others have a pull request, and so a cap, of their own.
  expect(other.caller()).not.toBeNull()
})

test('the cap of a day counts what all agents cost, and a new day begins anew', async () => {
  const { world, rule, start } = await makeCostWorld()
  await rule([of('cost_cap', { max_usd: 3, per: 'day' }, 'agents')])
  const [one, other] = [await start('one'), await start('other')]
  await one.spend(2)
  expect(one.caller()).not.toBeNull()
  await other.spend(1)
  expect(other.caller()).toBeNull()
  // It reported nothing, and is named by the cap as well.
  expect(one.caller()).toBeNull()
  expect(await one.state()).toMatchObject({ state: 'stopped', stopped: { reason: 'cost_cap' } })
  world.clock.advance(24 * 3_600_000)
  const next = await start('next')
  await next.spend(2)
  expect(next.caller()).not.toBeNull()
})

test('the cap of a day stops no agent of another branch or repository', async () => {
  const { world, ada, rule, start } = await makeCostWorld()
  await world.repo('acme/other', { as: ada })
  const { token } = await world.call(createAgent, ada, { repo: 'acme/other', name: 'elsewhere' })
  await rule([of('cost_cap', { max_usd: 3, per: 'day' }, 'agents')])
  const [one, two] = [await start('one'), await start('two')]
  await one.spend(3)
  expect([one.caller(), two.caller()]).toEqual([null, null])
  expect(world.hearth.callers.byToken(token.secret ?? '')).not.toBeNull()
})

test('a rule that is only tried stops nobody, and neither does a cap of another branch', async () => {
  const { world, ada, rule, start } = await makeCostWorld()
  const made = await rule([of('cost_cap', { max_usd: 1 })], { enforcement: 'evaluate' })
  await rule([of('cost_cap', { max_usd: 1 })], {
    conditions: { ref_name: { include: ['release'] } },
  })
  const one = await start('one')
  await one.spend(5)
  expect(one.caller()).not.toBeNull()
  await world.call(updateRuleset, ada, { repo: REPO, id: made.id, enforcement: 'active' })
  await one.spend(0.01)
  expect(one.caller()).toBeNull()
})

test('what a stranger reports counts for their own pull request alone', async () => {
  const { world, ada, otto, rule, start, draft, pull } = await makeCostWorld()
  await rule([of('cost_cap', { max_usd: 3, per: 'day' })])
  await rule([of('cost_cap', { max_usd: 5 })])
  const one = await start('one')
  const number = await draft(otto, null)
  await world.call(appendSession, otto, {
    repo: REPO,
    number,
    entries: [{ kind: 'usage', text: '', data: { cost_usd: 1_000_000 } }],
  })
  expect(pull(number).session_cost).toBe(1_000_000)
  expect(one.caller()).not.toBeNull()
  await one.spend(2)
  expect(one.caller()).not.toBeNull()
  // Somebody with Write is believed.
  const own = await draft(ada, null)
  await world.call(appendSession, ada, {
    repo: REPO,
    number: own,
    entries: [{ kind: 'usage', text: '', data: { cost_usd: 1 } }],
  })
  expect(one.caller()).toBeNull()
})
