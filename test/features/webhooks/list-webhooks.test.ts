import { expect, test } from 'bun:test'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { listWebhooks } from '#features/webhooks/list-webhooks.ts'
import { refusal } from '../../world.ts'
import { makeHookWorld } from './fixture.ts'

test('there are twenty at most for one repository, and as many for its workspace', async () => {
  const { world, ada, hook, at } = await makeHookWorld()
  for (let n = 0; n < 20; n++) await hook()
  const refused = await refusal(hook())
  expect([refused.status, refused.reason]).toEqual([409, 'limit_reached'])
  await hook({ workspace: 'acme' })
  const { items, total } = await world.call(listWebhooks, ada, { repo: 'acme/site', per_page: 5 })
  expect([items.length, total]).toEqual([5, 20])
  await world.repo('acme/other')
  await world.call(createWebhook, ada, { repo: 'acme/other', url: at.url('/200') })
})
