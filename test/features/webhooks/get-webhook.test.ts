import { expect, test } from 'bun:test'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { getWebhook } from '#features/webhooks/get-webhook.ts'
import { listWebhooks } from '#features/webhooks/list-webhooks.ts'
import { addCollaborator } from '#features/collaborators/add-collaborator.ts'
import { agentOf, refusal } from '../../world.ts'
import { makeHookWorld } from './fixture.ts'

test('admins of the repository and owners of the workspace; nobody else sees that there is one', async () => {
  const { world, ada, bob, hook, repo, at } = await makeHookWorld()
  const out = await world.user('out')
  const made = await hook()
  const everyone = await hook({ workspace: 'acme' })
  await world.call(addCollaborator, ada, { repo: 'acme/site', invitee: 'bob', role: 'maintain' })
  const input = { repo: 'acme/site', url: at.url('/200') }
  const get = (who: Parameters<typeof world.call>[1], id = made.id) =>
    world.call(getWebhook, who, { repo: 'acme/site', id })
  expect([
    (await refusal(hook({}, bob))).reason,
    (await refusal(get(bob))).reason,
    (await refusal(world.call(listWebhooks, out, { repo: 'acme/site' }))).reason,
  ]).toEqual(['role', 'role', 'role'])
  expect(
    (await refusal(world.call(createWebhook, agentOf(ada, repo, { id: 'agt_x' }), input))).reason,
  ).toBe('role')
  expect(
    (await refusal(world.call(createWebhook, bob, { workspace: 'acme', url: at.url('/200') })))
      .reason,
  ).toBe('role')
  expect((await refusal(world.call(listWebhooks, out, { workspace: 'acme' }))).code).toBe(
    'not_found',
  )
  // One of a workspace is none of its repositories, and the reverse.
  expect((await refusal(get(ada, everyone.id))).code).toBe('not_found')
  expect(
    (await refusal(world.call(getWebhook, ada, { workspace: 'acme', id: made.id }))).code,
  ).toBe('not_found')
  expect(
    (await refusal(world.call(getWebhook, ada, { repo: 'acme/site', id: 'whk_nonsense' }))).code,
  ).toBe('not_found')
  expect((await refusal(world.call(listWebhooks, ada, {}))).code).toBe('invalid')
  expect(
    (await refusal(world.call(listWebhooks, ada, { repo: 'acme/site', workspace: 'acme' }))).code,
  ).toBe('invalid')
})
