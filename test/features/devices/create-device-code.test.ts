import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { createDeviceCode } from '#features/devices/create-device-code.ts'
import { createUserCode, readUserCode, formatUserCode } from '#features/devices/user-codes.ts'
import { refusal } from '../../world.ts'
import { runForge } from '../oauth/running.ts'

const forge = await runForge()

test('anyone can start a device sign-in', async () => {
  const response = await forge.post('/api/v1/device/code', { client_name: 'A tool' })
  expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const body = (await response.json()) as Record<string, unknown>
  expect(body).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${forge.url}/device`,
    verification_uri_complete: `${forge.url}/device?code=${String(body.user_code)}`,
    expires_in: 900,
    interval: 5,
  })
  expect((await forge.post('/api/device/code', {})).status).toBe(200)
  expect(JSON.stringify(forge.hearth.db.all('SELECT * FROM device_codes'))).not.toContain(
    String(body.device_code),
  )
})

test('an unknown scope is refused, and the client name is sanitised', async () => {
  expect(
    (await refusal(forge.call(createDeviceCode, anonymous, { scope: 'repo:read root' }))).field,
  ).toBe('scope')
  await forge.call(createDeviceCode, anonymous, { client_name: `${'n'.repeat(90)}` })
  await forge.call(createDeviceCode, anonymous, { client_name: 'a\u202eb\n' })
  const names = forge.hearth.db
    .all<{ client_name: string }>('SELECT client_name FROM device_codes')
    .map(({ client_name }) => client_name)
  expect(names).toContain('n'.repeat(64))
  expect(names).toContain('a b')
})

test('codes use the whole alphabet and are parsed in any spelling', () => {
  const seen = new Set(Array.from({ length: 400 }, createUserCode).join(''))
  expect([...seen].sort().join('')).toBe('BCDFGHJKLMNPQRSTVWXZ')
  expect(formatUserCode('BCDFGHJK')).toBe('BCDF-GHJK')
  for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'bcdf–ghjk', 'B-C-D-F-G-H-J-K'])
    expect(readUserCode(text)).toBe('BCDFGHJK')
  for (const text of ['', 'BCDF-GHJ', 'BCDF-GHJKL', 'ACDF-GHJK', 'BCDF-GHJ1', 'BCDF/GHJK'])
    expect(readUserCode(text)).toBeNull()
})

test('where it was asked from is the address before our own proxies, whatever the client says', async () => {
  const behind = await runForge({ trusted_proxies: ['127.0.0.0/8'] })
  const seen = async (running: typeof forge) => {
    const { user_code } = (await (
      await running.post('/api/v1/device/code', {}, { 'x-forwarded-for': '6.6.6.6, 198.51.100.7' })
    ).json()) as { user_code: string }
    return running.hearth.db.one<{ ip: string }>(
      'SELECT ip FROM device_codes WHERE user_code = ?',
      user_code.replace('-', ''),
    )?.ip
  }
  expect(await seen(behind)).toBe('198.51.100.7')
  expect(await seen(forge)).toBe('127.0.0.1')
})
