import { describe, expect, test } from 'bun:test'
import { listWebhookDeliveries } from '#features/webhooks/list-webhook-deliveries.ts'
import { pingWebhook } from '#features/webhooks/ping-webhook.ts'
import { updateWebhook } from '#features/webhooks/update-webhook.ts'
import { openHearth } from '#src/app.ts'
import { silentLog } from '#lib/log.ts'
import { HOUR, MINUTE, SECOND, DAY } from '#lib/time.ts'
import { makeIssueHookWorld, rawReceiver } from './fixture.ts'

describe('what does not arrive', () => {
  test('is tried six times on the stated delays under one id, then it has failed', async () => {
    const { world, hook, at, issue, issues, deliveries, after, look, clock } =
      await makeIssueHookWorld()
    const made = await hook({ url: at.url('/500'), events: issues })
    await issue()
    const seen: unknown[] = []
    const note = async () => {
      const [latest] = await deliveries(made.id)
      seen.push([
        latest?.attempt,
        latest?.state,
        latest?.next_retry_at === null || latest === undefined
          ? null
          : Date.parse(latest.next_retry_at ?? '') - clock.now(),
        (await look(made.id)).status,
      ])
    }
    await world.jobs()
    await note()
    for (const delay of [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR]) {
      const before = at.got.length
      await after(delay - SECOND)
      expect(at.got.length).toBe(before)
      await after(SECOND)
      await note()
    }
    expect(seen).toEqual([
      [1, 'waiting', MINUTE, 'amber'],
      [2, 'waiting', 5 * MINUTE, 'amber'],
      [3, 'waiting', 30 * MINUTE, 'amber'],
      [4, 'waiting', 2 * HOUR, 'amber'],
      [5, 'waiting', 5 * HOUR, 'amber'],
      [6, 'failed', null, 'red'],
    ])
    const tries = at.got.filter(({ headers }) => headers.get('x-svc-event') === 'issue.opened')
    expect(
      new Set(
        tries.map(
          ({ headers, body }) =>
            `${headers.get('x-svc-delivery')} ${headers.get('x-svc-signature-256')} ${body}`,
        ),
      ).size,
    ).toBe(1)
    expect(tries).toHaveLength(6)
    await after(30 * DAY)
    expect(at.types().filter((type) => type === 'issue.opened')).toHaveLength(6)
  })

  test('is told by one word when nobody answers, and by status when somebody does', async () => {
    const { world, hook, at, issue, deliveries, db } = await makeIssueHookWorld()
    const hangsUp = await rawReceiver((socket) => socket.destroy())
    const garbage = await rawReceiver((socket) => socket.end('SSH-2.0-OpenSSH_9\r\n'))
    const cases: [string, string | null, number | null, string][] = [
      ['http://127.0.0.1:1/', 'refused', null, 'waiting'],
      [hangsUp, 'refused', null, 'waiting'],
      [garbage, 'refused', null, 'waiting'],
      [at.url('/404'), null, 404, 'waiting'],
      [at.url('/302'), 'redirect', 302, 'waiting'],
      [at.url('/204'), null, 204, 'delivered'],
      [at.url('/299'), null, 299, 'delivered'],
      ['https://nowhere.invalid/', 'dns', null, 'waiting'],
    ]
    for (const [url, error, status, state] of cases) {
      const made = await hook({ url })
      await world.jobs()
      const [delivery] = await deliveries(made.id)
      expect([
        url,
        delivery?.error ?? null,
        delivery?.response?.status ?? null,
        delivery?.state,
      ]).toEqual([url, error, status, state as 'waiting'])
    }
    expect(at.got.some(({ path }) => path.startsWith('/200/elsewhere'))).toBe(false)
    // An address that was good when it was given is looked at again each time.
    const made = await hook()
    await world.write(
      (tx) =>
        void tx.db.run('UPDATE webhooks SET url = ? WHERE id = ?', 'https://10.0.0.1/', made.id),
    )
    await issue()
    await world.jobs()
    expect((await deliveries(made.id))[0]).toMatchObject({
      error: 'blocked_address',
      response: null,
    })
    expect(db.all('SELECT 1 FROM webhook_deliveries WHERE state = ?', 'sent')).toEqual([])
  })

  test('what the receiver wrote is marked as coming from outside', async () => {
    const { world, ada, hook } = await makeIssueHookWorld()
    const made = await hook()
    await world.jobs()
    const told: (readonly string[])[] = []
    await world.call(
      listWebhookDeliveries,
      ada,
      { repo: 'acme/site', id: made.id },
      { untrusted: (pointers) => void told.push(pointers) },
    )
    expect(told[0]).toEqual(
      expect.arrayContaining(['/items/0/response/body', '/items/0/response/headers/x-mood']),
    )
  })
})

describe('pausing', () => {
  test('calls off what waits, sends nothing of what happens, and does not catch up', async () => {
    const { world, ada, hook, at, issue, issues, deliveries, after, look } =
      await makeIssueHookWorld()
    const set = (id: string, active: boolean) =>
      world.call(updateWebhook, ada, { repo: 'acme/site', id, active })
    const made = await hook({ url: at.url('/500'), events: issues })
    await issue()
    await world.jobs()
    expect(await set(made.id, false)).toMatchObject({ active: false, status: 'red' })
    expect(
      (await deliveries(made.id)).map(({ state, next_retry_at }) => [state, next_retry_at]),
    ).toEqual([
      ['cancelled', null],
      ['cancelled', null],
    ])
    const before = at.got.length
    await issue()
    await after(DAY)
    expect(at.got.length).toBe(before)
    // A ping shows whether it works again, before it is turned on; it is tried once.
    const ping = await world.call(pingWebhook, ada, { repo: 'acme/site', id: made.id })
    await world.jobs()
    expect((await deliveries(made.id))[0]).toMatchObject({
      id: ping.id,
      state: 'cancelled',
      response: { status: 500 },
    })
    await set(made.id, true)
    await after(DAY)
    expect(at.got.length).toBe(before + 1)
    expect((await look(made.id)).active).toBe(true)
  })

  test('happens by itself after 50 failed in a row over three days, and its managers are told', async () => {
    const { world, hook, at, issue, issues, after, look, db, bob } = await makeIssueHookWorld()
    const made = await hook({ url: at.url('/500'), events: issues })
    const other = await hook({ workspace: 'acme', url: at.url('/500'), events: issues })
    await after(8 * HOUR)
    for (let n = 0; n < 50; n++) await issue()
    const through = async () => {
      for (const delay of [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR])
        await after(delay)
    }
    await through()
    expect((await look(made.id)).active).toBe(true)
    await after(3 * DAY)
    await issue()
    await through()
    expect(await look(made.id)).toMatchObject({ active: false, status: 'red' })
    expect(
      db.all(
        `SELECT target_id, actor_id FROM audit_log WHERE action = 'webhook.paused' ORDER BY target_id`,
      ),
    ).toEqual([made.id, other.id].sort().map((target_id) => ({ target_id, actor_id: null })))
    await world.jobs()
    const mails = [...new Bun.Glob('*.eml').scanSync(`${world.data}/outbox`)].filter((name) =>
      name.includes('webhook-paused'),
    )
    expect(mails).toHaveLength(2)
    const text = await Promise.all(
      mails.map((name) => Bun.file(`${world.data}/outbox/${name}`).text()),
    )
    expect(text.join('\n')).toContain(`https://hearth.test/acme/site/settings/hooks/${made.id}`)
    expect(text.join('\n')).toContain(`https://hearth.test/acme/-/hooks/${other.id}`)
    expect(text.some((one) => one.includes(`To: ${bob.username}@`))).toBe(false)
  }, 120_000)
})

describe('lists', () => {
  test('hold two weeks', async () => {
    const { world, hook, issue, issues, deliveries, after, db, look } = await makeIssueHookWorld()
    const made = await hook({ events: issues })
    await issue()
    await world.hearth.jobs.start()
    await world.jobs()
    await after(13 * DAY)
    await issue()
    await after(23 * HOUR)
    expect(await deliveries(made.id)).toHaveLength(3)
    await after(2 * HOUR)
    expect(await deliveries(made.id)).toHaveLength(1)
    expect(db.all('SELECT 1 FROM webhook_payloads')).toHaveLength(1)
    await after(14 * DAY)
    expect([await deliveries(made.id), db.all('SELECT 1 FROM webhook_payloads')]).toEqual([[], []])
    // The light stays as it was.
    expect(await look(made.id)).toMatchObject({ status: 'green', last_delivery: null })
  })
})

describe('nobody waits for another', () => {
  test('a receiver that does not answer holds up its own deliveries only, of which a few are on their way at once', async () => {
    const { world, hook, at, issue, issues } = await makeIssueHookWorld()
    let open = 0
    let most = 0
    const gates: (() => void)[] = []
    at.answerWith(async (request) => {
      if (!new URL(request.url).pathname.startsWith('/dead')) return new Response('ok')
      most = Math.max(most, ++open)
      await new Promise<void>((resolve) => gates.push(resolve))
      open--
      return new Response('late')
    })
    const dead = await Promise.all(
      [1, 2, 3].map((n) => hook({ url: at.url(`/dead/${n}`), events: issues })),
    )
    const live = await hook({ url: at.url('/200'), events: issues })
    for (let n = 0; n < 40; n++) await issue()
    const idle = world.jobs()
    const arrived = (): number => at.types('/200').length
    while (arrived() < 41 || open < dead.length * 8) await Bun.sleep(5)
    // 41 arrived at the one that answers, while the others have not answered a single request.
    expect([arrived(), open, most]).toEqual([41, dead.length * 8, dead.length * 8])
    expect(live.id).not.toBe('')
    let over = false
    const release = async (): Promise<void> => {
      while (!over) {
        for (const gate of gates.splice(0)) gate()
        await Bun.sleep(1)
      }
    }
    const releasing = release()
    await idle
    over = true
    await releasing
    const ids = at.got.map(({ headers }) => headers.get('x-svc-delivery'))
    expect([ids.length, new Set(ids).size, most]).toEqual([41 * 4, 41 * 4, dead.length * 8])
  }, 120_000)
})

describe('stopping', () => {
  test('what was on its way, and what had not begun, is sent after the next start under the same ids', async () => {
    const { world, hook, at, issue, issues } = await makeIssueHookWorld()
    let answers = false
    at.answerWith(() => (answers ? new Response('ok') : new Promise<Response>(() => {})))
    const made = await hook({ events: issues })
    for (let n = 0; n < 12; n++) await issue()
    const running = world.jobs()
    while (at.got.length < 8) await Bun.sleep(5)
    await world.hearth.jobs.stop()
    await running
    const before = at.got.map(({ headers }) => headers.get('x-svc-delivery') ?? '')
    expect(before).toHaveLength(8)

    answers = true
    const again = openHearth({
      settings: { ...world.hearth.settings },
      log: silentLog,
      clock: world.clock,
      databasePath: `${world.data}/hearth.db`,
    })
    const rows = () =>
      again.db.all<{ id: string; state: string; attempt: number }>(
        'SELECT id, state, attempt FROM webhook_deliveries WHERE hook_id = ? ORDER BY id',
        made.id,
      )
    expect(rows().every(({ state, attempt }) => state === 'sent' && attempt === 1)).toBe(true)
    await again.jobs.start()
    await again.jobs.idle()
    expect(rows().map(({ state, attempt }) => `${state} ${attempt}`)).toEqual(
      Array.from({ length: 13 }, () => 'delivered 1'),
    )
    const all = at.got.map(({ headers }) => headers.get('x-svc-delivery') ?? '')
    expect(new Set(all)).toEqual(new Set(rows().map(({ id }) => id)))
    expect(all).toHaveLength(13 + 8)
    await again.close()
  }, 120_000)
})
