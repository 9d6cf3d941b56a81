import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { resetPassword } from '#features/accounts/passwords/reset-password.ts'
import { setTwoFactorEnabled } from '#features/accounts/store/user-settings.ts'
import { anonymous } from '#core/caller.ts'
import { makeWorld } from '../world.ts'
import { PROGRAM } from './program.ts'

/** Runs the program. */
async function link(args: string[]) {
  const child = Bun.spawn([...PROGRAM, 'link', ...args], {
    cwd: join(import.meta.dir, '..', '..'),
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: '/nonexistent', HOME: '/nonexistent' },
  })
  const [out, error, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { out, error, status }
}

test('hearth link removes lost second factors, audits it and notifies the person', async () => {
  const world = await makeWorld()
  const ada = await world.user('ada', { site_admin: true })
  await world.write((tx) => {
    tx.db.run(
      `INSERT INTO authenticators (user_id, sealed_secret, confirmed_at, last_step, created_at) VALUES (?, 'sealed', ?, 0, ?)`,
      ada.id,
      tx.now,
      tx.now,
    )
    tx.db.run(`INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, 'hash')`, ada.id)
    setTwoFactorEnabled(tx, ada.id, true)
  })
  const enabled = () =>
    world.hearth.db.one<{ two_factor_enabled: number }>(
      'SELECT two_factor_enabled FROM users WHERE id = ?',
      ada.id,
    )?.two_factor_enabled
  expect(enabled()).toBe(1)
  expect(await link(['two-factor', 'Ada', '--data', world.data])).toEqual({
    out: expect.stringContaining('is off'),
    error: '',
    status: 0,
  })
  expect(enabled()).toBe(0)
  for (const table of ['authenticators', 'recovery_codes', 'passkeys'])
    expect(world.hearth.db.all(`SELECT 1 FROM ${table}`)).toEqual([])
  const entries = world.hearth.db.all<{ actor_id: string | null; data: string }>(
    `SELECT actor_id, data FROM audit_log WHERE action = 'user.two_factor_reset'`,
  )
  expect(entries.map(({ actor_id, data }) => [actor_id, JSON.parse(data)])).toEqual([
    [
      null,
      {
        before: { two_factor_enabled: true },
        after: { two_factor_enabled: false },
        by: 'command line',
      },
    ],
  ])
  expect(
    world.hearth.db.all(
      `SELECT 1 FROM jobs WHERE kind = 'send_mail' AND input LIKE '%turned two-factor sign-in off%'`,
    ),
  ).toHaveLength(1)

  const again = await link(['two-factor', 'ada', '--data', world.data])
  expect([again.status, again.out, again.error]).toEqual([
    1,
    '',
    'hearth: ada has no second factor\n',
  ])
  expect((await link(['two-factor', 'nobody', '--data', world.data])).error).toContain('nobody')
  expect((await link(['three-factor', 'ada', '--data', world.data])).status).toBe(2)
}, 120_000)

test('a printed link works, and the help names all three', async () => {
  const world = await makeWorld()
  await world.user('ada')
  const { out } = await link(['reset', 'ada', '--data', world.data])
  const token = new URL(out.trim()).searchParams.get('token') ?? ''
  // The command's clock is the machine's, the world's stands still before it.
  expect(
    await world.call(resetPassword, anonymous, { token, password: 'correct horse battery' }),
  ).toEqual({ username: 'ada' })
  const help = await link(['--help'])
  for (const word of ['confirm', 'reset', 'two-factor', 'audit log'])
    expect(help.out).toContain(word)
}, 120_000)
