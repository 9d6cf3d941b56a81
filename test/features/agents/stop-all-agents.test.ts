import { expect, test } from 'bun:test'
import { stopAgent } from '#features/agents/stop-agent.ts'
import { stopAllAgents } from '#features/agents/stop-all-agents.ts'
import { updatePull } from '#features/pulls/lifecycle/update-pull.ts'
import { listPulls } from '#features/pulls/list-pulls.ts'
import { getRepoSettings } from '#features/repos/settings/get-repo-settings.ts'
import { refusal } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

test('the emergency stop ends all agents and disables automatic merging', async () => {
  const { world, ada, mel, otto, start, configure, ready, pull, audit } = await makeAgentWorld()
  await configure({ auto_merge: true, required_approvals: 1 })
  const number = await ready(otto)
  const before = await ready(mel)
  await world.call(updatePull, ada, { repo: REPO, number: before, auto_merge: true })
  expect(pull(number).auto_merge).toBe(1)
  const one = await start({ name: 'one' })
  const two = await start({ name: 'two' })
  const gone = await start({ name: 'gone' })
  await world.call(stopAgent, ada, { repo: REPO, id: gone.agent.id })
  expect(await refusal(world.call(stopAllAgents, mel, { repo: REPO, reason: 'x' }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const other = await ready(mel, { 'other.txt': 'x\n' })
  await world.call(updatePull, ada, { repo: REPO, number: other, auto_merge: false })
  world.clock.advance(60_000)
  const stopped = await world.call(stopAllAgents, ada, { repo: REPO, reason: 'Something is wrong' })
  expect(stopped.map(({ name, state, stopped: why }) => [name, state, why?.reason])).toEqual([
    ['two', 'stopped', 'Something is wrong'],
    ['one', 'stopped', 'Something is wrong'],
  ])
  expect([one.caller(), two.caller()]).toEqual([null, null])
  expect((await world.call(getRepoSettings, ada, { repo: REPO })).auto_merge).toBe(false)
  expect([pull(number).auto_merge, pull(before).auto_merge]).toEqual([0, 0])
  // A list by last change shows them first.
  const { items } = await world.call(listPulls, ada, { repo: REPO, sort: 'updated' })
  expect(items.map((one) => one.number)).toEqual([before, number, other])
  expect(audit('agents.all_stopped')).toHaveLength(1)
  expect(audit('repo.settings_changed').at(-1)?.data).toContain('"auto_merge":true')
})
