import { expect, test } from 'bun:test'
import { pingWebhook } from '#features/webhooks/ping-webhook.ts'
import { refusal } from '../../world.ts'
import { makeHookWorld } from './fixture.ts'

test('a ping is sent whichever events are subscribed, and is in no timeline', async () => {
  const { world, ada, bob, at, hook } = await makeHookWorld()
  const { id } = await hook({ events: ['issue.opened'] })
  await world.jobs()
  const events = world.events().length
  const before = at.types().length
  await world.call(pingWebhook, ada, { repo: 'acme/site', id })
  await world.jobs()
  expect(at.types().slice(before)).toEqual(['ping'])
  expect(world.events().length).toBe(events)
  expect((await refusal(world.call(pingWebhook, bob, { repo: 'acme/site', id }))).reason).toBe(
    'role',
  )
  expect(
    (await refusal(world.call(pingWebhook, ada, { repo: 'acme/site', id: 'whk_x' }))).code,
  ).toBe('not_found')
})
