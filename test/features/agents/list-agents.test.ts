import { expect, test } from 'bun:test'
import { listAgents } from '#features/agents/list-agents.ts'
import { refusal } from '../../world.ts'
import { makeAgentWorld, REPO } from './fixture.ts'

test('the list is for maintainers, newest first', async () => {
  const { world, ada, mel, start } = await makeAgentWorld()
  const names = ['a', 'b', 'c']
  for (const name of names) await start({ name })
  expect(await refusal(world.call(listAgents, mel, { repo: REPO }))).toMatchObject({
    status: 403,
    reason: 'role',
  })
  const { items, next } = await world.call(listAgents, ada, { repo: REPO, per_page: 2 })
  expect([items.map(({ name }) => name), next]).toEqual([['c', 'b'], '2'])
  expect(JSON.stringify(items)).not.toContain('secret')
})
