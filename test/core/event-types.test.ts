import { expect, test } from 'bun:test'
import { EVENT_TYPES } from '#core/event-types.ts'
import { listEvents } from '#features/repos/profile/list-events.ts'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { makeHookWorld } from '../features/webhooks/fixture.ts'
import { refusal } from '../world.ts'

test('every type that a feature declares is in the list', async () => {
  const { world } = await makeHookWorld()
  expect([...world.hearth.eventTypes.keys()].filter((type) => !EVENT_TYPES.has(type))).toEqual([])
})

test('webhooks and the timeline accept event types of missing features, and no others', async () => {
  const { world, ada, at } = await makeHookWorld()
  const later = [...EVENT_TYPES].filter((type) => !world.hearth.eventTypes.has(type))
  const hook = await world.call(createWebhook, ada, {
    repo: 'acme/site',
    url: at.url('/200/later'),
    events: [...later, 'workflow.completed', 'git.push'],
  })
  expect(hook.events).toEqual([...new Set([...later, 'workflow.completed', 'git.push'])])
  expect(
    (await world.call(listEvents, ada, { repo: 'acme/site', types: ['release.published'] })).items,
  ).toEqual([])
  expect(
    await refusal(
      world.call(createWebhook, ada, {
        repo: 'acme/site',
        url: at.url('/200/x'),
        events: ['pull.exploded'],
      }),
    ),
  ).toMatchObject({ status: 422, field: 'events' })
  expect(
    await refusal(world.call(listEvents, ada, { repo: 'acme/site', types: ['pull.exploded'] })),
  ).toMatchObject({ status: 422, field: 'types' })
})
