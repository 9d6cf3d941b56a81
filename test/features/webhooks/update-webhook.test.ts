import { describe, expect, test } from 'bun:test'
import { updateWebhook } from '#features/webhooks/update-webhook.ts'
import { MINUTE } from '#lib/time.ts'
import { refusal } from '../../world.ts'
import { makeIssueHookWorld } from './fixture.ts'

describe('changing', () => {
  test('moves what waits to the new address, with the new secret', async () => {
    const { world, ada, hook, at, issue, issues, after, deliveries, db } =
      await makeIssueHookWorld()
    const { verify } = await import('@octokit/webhooks-methods')
    const made = await hook({ url: at.url('/500/old'), events: issues })
    await issue()
    await world.jobs()
    const secret = 'a secret that is quite new'
    const changed = await world.call(updateWebhook, ada, {
      repo: 'acme/site',
      id: made.id,
      url: at.url('/200/new'),
      secret,
      events: [],
    })
    expect(changed).toMatchObject({
      url: at.url('/200/new'),
      events: [],
      secret: null,
      active: true,
    })
    await after(MINUTE)
    const moved = at.got.filter(({ path }) => path === '/200/new')
    expect(moved).toHaveLength(2)
    for (const { body, headers } of moved)
      expect(await verify(secret, body, headers.get('x-svc-signature-256') ?? '')).toBe(true)
    expect((await deliveries(made.id))[0]?.request.url).toBe(at.url('/200/new'))
    expect(
      JSON.parse(
        db.one<{ data: string }>(`SELECT data FROM audit_log WHERE action = 'webhook.updated'`)
          ?.data ?? '{}',
      ),
    ).toMatchObject({
      changed: ['events', 'secret', 'url'],
      before: { events: issues },
      after: { events: [] },
    })
    expect(
      (
        await refusal(
          world.call(updateWebhook, ada, {
            repo: 'acme/site',
            id: made.id,
            url: 'https://10.0.0.1/',
          }),
        )
      ).field,
    ).toBe('url')
    expect(
      (
        await refusal(
          world.call(updateWebhook, ada, { repo: 'acme/site', id: made.id, events: ['x'] }),
        )
      ).field,
    ).toBe('events')
    expect(
      (
        await refusal(
          world.call(updateWebhook, ada, { repo: 'acme/site', id: made.id, secret: 'short' }),
        )
      ).field,
    ).toBe('secret')
  })
})
