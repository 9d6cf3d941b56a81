import { expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getSiteStatus } from '#features/site/get-site-status.ts'
import { sendTestMail } from '#features/site/send-test-mail.ts'
import { makeWorld } from '../../world.ts'

const world = await makeWorld()
const root = await world.user('root', { site_admin: true })

test('a test message is sent, or the failure is explained', async () => {
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
