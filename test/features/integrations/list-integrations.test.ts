import { expect, test } from 'bun:test'
import { listIntegrations } from '#features/integrations/list-integrations.ts'
import { refusal } from '../../world.ts'
import { makeModelWorld } from './fixture.ts'

test('members see what is connected, newest first and in pages; others see nothing', async () => {
  const { world, ada, bob, connect } = await makeModelWorld()
  await connect({ name: 'one' })
  world.clock.advance(1000)
  await connect({ name: 'two', secret: 'sk-wrong' })
  const target = { workspace: 'acme' }
  const list = await world.call(listIntegrations, bob, target)
  expect([list.total, list.next]).toEqual([2, null])
  expect(list.items.map(({ name, status, has_secret }) => [name, status, has_secret])).toEqual([
    ['two', 'failing', true],
    ['one', 'connected', true],
  ])
  expect(JSON.stringify(list)).not.toContain('sk-')
  const page = await world.call(listIntegrations, ada, { ...target, per_page: 1, page: 2 })
  expect(page.items.map(({ name }) => name)).toEqual(['one'])
  const eve = await world.user('eve')
  expect((await refusal(world.call(listIntegrations, eve, target))).code).toBe('not_found')
})
