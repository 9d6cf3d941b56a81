import { describe, expect, test } from 'bun:test'
import { sign, verify } from '@octokit/webhooks-methods'
import { createWebhook } from '#features/webhooks/create-webhook.ts'
import { listWebhooks } from '#features/webhooks/list-webhooks.ts'
import { updateWebhook } from '#features/webhooks/update-webhook.ts'
import { createIssue } from '#features/issues/create-issue.ts'
import { call } from '#core/operation.ts'
import { refusal, withToken, workspaceCaller } from '../../world.ts'
import { makeHookWorld } from './fixture.ts'

describe('making one', () => {
  test('pings the address at once, signed so that a verifier of another service takes it', async () => {
    const { world, ada, repo, at, hook, deliveries, look } = await makeHookWorld()
    const made = await hook()
    expect(made).toMatchObject({
      level: 'repository',
      repository: 'acme/site',
      workspace: 'acme',
      url: at.url('/200'),
      events: [],
      active: true,
      has_secret: true,
      status: 'none',
      last_delivery: { state: 'sent' },
    })
    expect(made.secret).toMatch(/^[0-9a-f]{64}$/)
    await world.jobs()

    const [ping] = at.got
    const headers = ping?.headers
    expect([
      headers?.get('x-svc-event'),
      headers?.get('x-svc-hook'),
      headers?.get('user-agent'),
      headers?.get('content-type'),
    ]).toEqual(['ping', made.id, 'svc-webhooks/1', 'application/json'])
    const [delivery] = await deliveries(made.id)
    expect(headers?.get('x-svc-delivery')).toBe(delivery?.id)
    const signature = headers?.get('x-svc-signature-256') ?? ''
    expect(await verify(made.secret ?? '', ping?.body ?? '', signature)).toBe(true)
    expect(signature).toBe(await sign(made.secret ?? '', ping?.body ?? ''))
    expect(await verify(made.secret ?? '', `${ping?.body} `, signature)).toBe(false)

    const [message] = at.messages()
    expect(Object.keys(message ?? {})).toEqual([
      'id',
      'type',
      'time',
      'workspace',
      'repository',
      'actor',
      'data',
    ])
    expect(message).toMatchObject({
      type: 'ping',
      time: '2026-03-01T12:00:00.000Z',
      workspace: 'acme',
      repository: { id: repo.id, full_name: 'acme/site' },
      actor: { id: ada.id, username: 'ada' },
      data: { hook: made.id, events: [] },
    })
    expect(message?.id).toMatch(/^evt_/)
    expect(delivery).toMatchObject({
      hook: made.id,
      event: { id: message?.id, type: 'ping' },
      state: 'delivered',
      attempt: 1,
      error: null,
      next_retry_at: null,
      redelivery_of: null,
    })
    expect(delivery?.response).toMatchObject({
      status: 200,
      body: 'answer 200',
      headers: { 'x-mood': 'fine' },
    })
    expect(delivery?.request).toMatchObject({
      url: at.url('/200'),
      body: ping?.body,
      headers: { 'X-Svc-Event': 'ping', 'X-Svc-Signature-256': signature },
    })
    expect(await look(made.id)).toMatchObject({
      status: 'green',
      secret: null,
      last_delivery: { id: delivery?.id, state: 'delivered' },
    })
    // Who reads the repository does not learn that it has a webhook.
    expect(world.events('ping')).toEqual([])
  })

  test('shows the secret once, keeps it sealed, and logs none of it', async () => {
    const { world, ada, hook, db, look, at } = await makeHookWorld()
    const secret = 'correct horse battery staple'
    const made = await hook({ secret })
    expect(made.secret).toBe(secret)
    await world.jobs()
    expect(
      await verify(
        secret,
        at.got[0]?.body ?? '',
        at.got[0]?.headers.get('x-svc-signature-256') ?? '',
      ),
    ).toBe(true)
    expect((await look(made.id)).secret).toBeNull()
    expect(
      (await world.call(listWebhooks, ada, { repo: 'acme/site' })).items.map((one) => one.secret),
    ).toEqual([null])
    const other = 'another secret of the same kind'
    expect(
      (await world.call(updateWebhook, ada, { repo: 'acme/site', id: made.id, secret: other }))
        .secret,
    ).toBeNull()
    for (const { name } of db.all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'`,
    )) {
      const rows = JSON.stringify(db.all(`SELECT * FROM "${name}"`))
      for (const text of [secret, other]) expect([name, rows.includes(text)]).toEqual([name, false])
    }
  })

  test('an answer that is kept for a retry holds no secret, and a retry makes no second webhook', async () => {
    const { world, ada, at, db } = await makeHookWorld()
    const idempotency = {
      caller: ada,
      caller_id: ada.id,
      key: 'once',
      operation: 'create_webhook',
      body_hash: 'x',
      now: '2026-03-01T12:00:00.000Z',
    }
    const run = () =>
      call(
        world.hearth,
        createWebhook,
        ada,
        { repo: 'acme/site', url: at.url('/200') },
        { idempotency: idempotency as never },
      )
    const first = await run()
    const again = await run()
    expect([first.secret === null, again.id === first.id, again.secret]).toEqual([
      false,
      true,
      null,
    ])
    expect(JSON.stringify(db.all('SELECT * FROM idempotency_keys'))).not.toContain(
      first.secret ?? '-',
    )
  })

  test('an empty secret is made, a short or long one refused', async () => {
    const { hook } = await makeHookWorld()
    expect((await hook({ secret: '' })).secret).toMatch(/^[0-9a-f]{64}$/)
    for (const secret of ['x'.repeat(15), 'x'.repeat(257)])
      expect((await refusal(hook({ secret }))).field).toBe('secret')
  })

  test('needs a known type of event, and takes no type twice', async () => {
    const { hook, at, world } = await makeHookWorld()
    const refused = await refusal(hook({ events: ['git.push', 'git.pushed'] }))
    expect([refused.code, refused.field, refused.message]).toEqual([
      'invalid',
      'events',
      'there is no event type "git.pushed"',
    ])
    expect((await hook({ events: ['git.push', 'issue.opened', 'git.push'] })).events).toEqual([
      'git.push',
      'issue.opened',
    ])
    await world.jobs()
    // A ping is sent whatever was chosen.
    expect(at.types()).toEqual(['ping'])
  })

  test('leaves an entry that names the host, because an address may be as good as a password', async () => {
    const { hook, db, at, repo } = await makeHookWorld()
    const made = await hook({ url: at.url('/services/T0000/very-private') })
    const [entry] = db.all<{
      target_id: string
      target_name: string
      data: string
      repo_id: string
    }>(`SELECT * FROM audit_log WHERE action = 'webhook.created'`)
    expect(entry).toMatchObject({ target_id: made.id, repo_id: repo.id })
    expect(JSON.stringify(entry)).not.toContain('very-private')
  })
})

describe('the address', () => {
  test('must be public and https, however it is spelt, and the refusal names the setting', async () => {
    const { hook } = await makeHookWorld({ outbound_allow: [] })
    const inside = [
      'https://127.0.0.1/',
      'https://127.1/',
      'https://2130706433/',
      'https://0x7f.1/',
      'https://localhost/',
      'https://[::1]/',
      'https://[::ffff:127.0.0.1]/',
      'https://[::ffff:a00:1]/',
      'https://10.1.2.3/',
      'https://192.168.0.1/',
      'https://172.16.0.1/',
      'https://169.254.169.254/latest/meta-data',
      'https://100.64.0.1/',
      'https://[fd00::1]/',
      'https://[fe80::1]/',
      'https://[64:ff9b::a00:1]/',
      'https://[2002:a00:1::]/',
      'https://0.0.0.0/',
      'https://[::]/',
      'https://224.0.0.1/',
      'https://198.51.100.7/',
      'http://8.8.8.8/',
    ]
    for (const url of inside) {
      const refused = await refusal(hook({ url }))
      expect([
        url,
        refused.code,
        refused.field,
        refused.message.includes('outbound.allow'),
      ]).toEqual([url, 'invalid', 'url', true])
    }
    for (const url of [
      'ftp://8.8.8.8/',
      'file:///etc/passwd',
      'https://user:word@8.8.8.8/',
      'hook',
      '/hook',
      'javascript:alert(1)',
      `https://8.8.8.8/${'x'.repeat(2000)}`,
    ]) {
      expect([url.slice(0, 40), (await refusal(hook({ url }))).field]).toEqual([
        url.slice(0, 40),
        'url',
      ])
    }
  })

  test('is taken while its name has no address, and loses what stands after a #', async () => {
    const { hook, world, deliveries } = await makeHookWorld()
    const made = await hook({ url: 'https://hooks.nowhere.invalid/in?x=1#part' })
    expect(made.url).toBe('https://hooks.nowhere.invalid/in?x=1')
    await world.jobs()
    expect((await deliveries(made.id))[0]).toMatchObject({
      state: 'waiting',
      error: 'dns',
      response: null,
    })
  })
})

describe('who may', () => {
  test('a narrowed token needs the scope of what it addresses', async () => {
    const { world, ada, at } = await makeHookWorld()
    const of = (scopes: string[]) => withToken(ada, { scopes })
    const onRepo = { repo: 'acme/site', url: at.url('/200') }
    const onWorkspace = { workspace: 'acme', url: at.url('/200') }
    expect((await world.call(createWebhook, of(['repo:admin']), onRepo)).level).toBe('repository')
    expect((await world.call(createWebhook, of(['workspace:admin']), onWorkspace)).level).toBe(
      'workspace',
    )
    expect(
      (await refusal(world.call(createWebhook, of(['workspace:admin', 'repo:write']), onRepo)))
        .details,
    ).toEqual({ scope: 'repo:admin' })
    expect(
      (await refusal(world.call(createWebhook, of(['repo:admin']), onWorkspace))).details,
    ).toEqual({ scope: 'workspace:admin' })
  })

  test("a workspace's token is none of its owners", async () => {
    const { world, at } = await makeHookWorld()
    const acme = world.hearth.facts.workspace('acme', await world.user('ada'))
    const caller = workspaceCaller(
      { id: acme?.id ?? '', slug: 'acme' },
      { scopes: ['repo:admin', 'workspace:admin'], role: 'maintain' },
    )
    for (const target of [{ repo: 'acme/site' }, { workspace: 'acme' }])
      expect(
        (await refusal(world.call(createWebhook, caller, { ...target, url: at.url('/200') })))
          .reason,
      ).toBe('role')
  })
})

test('a wrong key stops sending, and nothing goes out unsigned', async () => {
  const { world, hook, at, db } = await makeHookWorld()
  const made = await hook()
  await world.jobs()
  await world.write(
    (tx) =>
      void tx.db.run(
        `UPDATE webhooks SET secret = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' WHERE id = ?`,
        made.id,
      ),
  )
  await world.call(createIssue, await world.user('ada'), { repo: 'acme/site', title: 'x' })
  await world.jobs()
  expect(at.types()).toEqual(['ping'])
  expect(
    db.one<{ error: string }>(`SELECT error FROM jobs WHERE kind = 'send_deliveries'`)?.error,
  ).toContain('installation key')
  // With the right key again it is sent.
  await world.call(updateWebhook, await world.user('ada'), {
    repo: 'acme/site',
    id: made.id,
    secret: 'a new secret that can be read',
  })
  world.clock.advance(3_600_000)
  await world.jobs()
  expect(at.types()).toEqual(['ping', 'issue.opened'])
})
