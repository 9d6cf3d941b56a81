import { expect, test } from 'bun:test'
import { starRepo } from '#features/notifications/stars/star-repo.ts'
import { unstarRepo } from '#features/notifications/stars/unstar-repo.ts'
import { getRepo } from '#features/repos/profile/get-repo.ts'
import { refusal } from '../../../world.ts'
import { makeNotificationWorld } from '../fixture.ts'

test('unstar_repo removes a star once, and hides what a person cannot see', async () => {
  const { world, ada, mel, otto } = await makeNotificationWorld()
  await world.call(starRepo, mel, { repo: 'acme/site' })
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  await world.call(unstarRepo, mel, { repo: 'acme/site' })
  expect((await world.call(getRepo, ada, { repo: 'acme/site' })).stars_count).toBe(0)
  expect((await refusal(world.call(unstarRepo, otto, { repo: 'acme/vault' }))).code).toBe(
    'not_found',
  )
})
