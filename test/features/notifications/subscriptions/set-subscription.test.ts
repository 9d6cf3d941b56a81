import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { getSubscription } from '#features/notifications/subscriptions/get-subscription.ts'
import { setSubscription } from '#features/notifications/subscriptions/set-subscription.ts'
import { MINUTE } from '#lib/time.ts'
import { agentOf, refusal, workspaceCaller } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('get_subscription and set_subscription: participating until another level is chosen', async () => {
  const { world, mel, otto, site, workspace } = await makeNotificationWorld()
  expect(await world.call(getSubscription, mel, { repo: 'acme/site' })).toEqual({
    level: 'participating',
    repo: 'acme/site',
    created_at: null,
  })
  expect(await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })).toEqual({
    level: 'all',
    repo: 'acme/site',
    created_at: '2026-03-01T12:00:00.000Z',
  })
  world.clock.advance(MINUTE)
  expect(
    (await world.call(setSubscription, mel, { repo: 'acme/site', level: 'all' })).created_at,
  ).toBe('2026-03-01T12:00:00.000Z')
  expect(
    (await world.call(setSubscription, mel, { repo: 'acme/site', level: 'releases' })).created_at,
  ).toBe('2026-03-01T12:01:00.000Z')
  expect((await world.call(getSubscription, otto, { repo: 'acme/site' })).level).toBe(
    'participating',
  )
  expect(
    (await refusal(world.call(setSubscription, otto, { repo: 'acme/vault', level: 'all' }))).code,
  ).toBe('not_found')
  expect((await refusal(world.call(getSubscription, otto, { repo: 'acme/vault' }))).code).toBe(
    'not_found',
  )
  expect(
    (await refusal(world.call(setSubscription, mel, { repo: 'acme/site', level: 'some' as 'all' })))
      .field,
  ).toBe('level')
  expect((await refusal(world.call(getSubscription, anonymous, { repo: 'acme/site' }))).code).toBe(
    'unauthenticated',
  )
  expect(
    (
      await refusal(
        world.call(setSubscription, agentOf(mel, site, { id: 'agt_1' }), {
          repo: 'acme/site',
          level: 'all',
        }),
      )
    ).reason,
  ).toBe('person_required')
  expect(
    (
      await refusal(
        world.call(getSubscription, workspaceCaller(workspace, { scopes: null }), {
          repo: 'acme/site',
        }),
      )
    ).reason,
  ).toBe('person_required')
})
