import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { job } from '#core/jobs.ts'
import { insertJob } from '#core/jobs.ts'
import { checkOutbound } from '#features/site/check-outbound.ts'
import { getSiteStatus } from '#features/site/get-site-status.ts'
import { listJobsQueue } from '#features/site/list-jobs-queue.ts'
import { retryJob } from '#features/site/retry-job.ts'
import { sendTestMail } from '#features/site/send-test-mail.ts'
import { mailTrouble } from '#features/site/mail-trouble.ts'
import { makeWorld, refusal } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })
const ada = await world.user('ada')

test('the status tells how the parts do', async () => {
  const status = await world.call(getSiteStatus, root, {})
  expect(status).toMatchObject({
    version: '0.0.0-test',
    update_available: null,
    disk: { writable: true },
    backups: { state: 'attention', detail: expect.stringContaining('There is no backup') },
    counts: { users: 2, workspaces: 0, repositories: 0 },
  })
  expect(status.database.migration).toMatch(/^\d{4}_/)
  expect(status.database.bytes + status.database.wal_bytes).toBeGreaterThan(0)
  expect(status.conditions.map(({ name }) => name).sort()).toEqual([
    'backups',
    'checks',
    'encryption',
    'jobs',
    'mail',
    'notifications',
  ])
  expect(status.conditions.find(({ name }) => name === 'checks')?.detail).toContain('commands')
  expect(await refusal(world.call(getSiteStatus, ada, {}))).toMatchObject({
    code: 'forbidden',
    reason: 'role',
  })
})

test('a job that failed is listed with its error and runs again when asked to', async () => {
  const unknown = job<null>({ kind: 'of_another_release', retry: [], run: () => {} })
  const id = await world.write((tx) => insertJob(tx.db, unknown, null, tx.now_ms))
  await world.jobs()
  const { items } = await world.call(listJobsQueue, root, { state: 'failed' })
  expect(items).toMatchObject([
    {
      id,
      kind: 'of_another_release',
      state: 'failed',
      attempt: 1,
      error: 'no job is called of_another_release',
    },
  ])
  expect(JSON.stringify(items)).not.toContain('input')
  expect((await world.call(listJobsQueue, root, { kind: 'nothing' })).items).toEqual([])
  expect(
    (await world.call(getSiteStatus, root, {})).conditions.find(({ name }) => name === 'jobs'),
  ).toMatchObject({ state: 'attention' })
  expect(await world.call(retryJob, root, { id })).toMatchObject({
    id,
    state: 'waiting',
    attempt: 0,
  })
  await world.jobs()
  expect((await world.call(listJobsQueue, root, { state: 'failed' })).items).toMatchObject([
    { id, attempt: 1 },
  ])
  expect(await refusal(world.call(retryJob, root, { id: 'bgj_none' }))).toMatchObject({
    code: 'not_found',
  })
  expect(await refusal(world.call(retryJob, ada, { id }))).toMatchObject({ code: 'forbidden' })
})

test('a test letter goes out, or one is told in words what is wrong', async () => {
  const sent = await world.call(sendTestMail, root, { to: 'root@example.com' })
  expect(sent).toMatchObject({ sent: true })
  expect(sent.detail).toContain(join(world.data, 'outbox'))
  expect(readdirSync(join(world.data, 'outbox')).some((name) => name.includes('-test-'))).toBe(true)

  const free = createServer().listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => free.once('listening', () => resolve()))
  const { port } = free.address() as { port: number }
  await new Promise<void>((resolve) => free.close(() => resolve()))
  const other = await makeWorld({
    mail: { url: `smtp://someone:hunter2@127.0.0.1:${port}`, from: 'Hearth <h@example.com>' },
  })
  const keeper = await other.user('root', { site_admin: true })
  const mail = async () =>
    (await other.call(getSiteStatus, keeper, {})).conditions.find(({ name }) => name === 'mail')
  expect(await mail()).toMatchObject({ state: 'ok' })
  const failed = await other.call(sendTestMail, keeper, { to: 'root@example.com' })
  expect(failed.sent).toBe(false)
  expect(failed.detail).toStartWith('Nothing listens at')
  expect(await mail()).toMatchObject({
    state: 'failing',
    detail: expect.stringContaining('Nothing listens at'),
  })
  expect(failed.detail).toContain(`127.0.0.1:${port}`)
  expect(failed.detail).not.toContain('hunter2')
  expect(
    other.hearth.db.all<{ action: string }>(
      `SELECT action FROM audit_log WHERE action = 'site.mail_tested'`,
    ).length,
  ).toBe(1)
})

test('codes of the mail library have words of their own', () => {
  const says = (code: string, message = 'boom') =>
    mailTrouble(Object.assign(new Error(message), { code }), 'mail.example.com:587')
  expect(says('EAUTH')).toContain('name and password')
  expect(says('ENOTFOUND')).toContain('no address')
  expect(says('ESOCKET', 'self signed certificate')).toContain('encryption')
  expect(says('ETIMEDOUT')).toContain('firewall')
  expect(mailTrouble(null, 'x')).toBe('null')
})

test('an address that may not be reached is named with the reason', async () => {
  const blocked = await world.call(checkOutbound, root, { url: 'https://127.0.0.1:9/' })
  expect(blocked.reached).toBe(false)
  expect(blocked.detail).toContain('not a public address')
  expect(await refusal(world.call(checkOutbound, root, { url: 'nonsense' }))).toMatchObject({
    field: 'url',
  })

  const open = await makeWorld({ outbound_allow: ['http://127.0.0.1'] })
  const there = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response('hello', { status: 418 }),
  })
  try {
    expect(
      await open.call(checkOutbound, await open.user('root', { site_admin: true }), {
        url: there.url.href,
      }),
    ).toMatchObject({ reached: true, detail: expect.stringContaining('answered 418') })
  } finally {
    await there.stop(true)
  }
})
