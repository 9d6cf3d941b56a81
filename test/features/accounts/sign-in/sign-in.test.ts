import { expect, test } from 'bun:test'
import { anonymous } from '#core/caller.ts'
import { PasswordHasher } from '#lib/password/password.ts'
import { DAY, MINUTE } from '#lib/time.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { findUserById, setPasswordHash } from '#features/accounts/store/users.ts'
import { makeWorld, refusal } from '../../../world.ts'
import { PASSWORD, withPassword } from '../with-password.ts'

const world = await makeWorld()
const ada = await withPassword(world, 'ada')

test('signs in by name or address, in any case, and the secret finds the person again', async () => {
  for (const login of ['ada', 'ADA', ' ada@example.com ', 'Ada@Example.com']) {
    const { secret, id, user } = await world.call(signIn, anonymous, { login, password: PASSWORD })
    expect(user).toEqual({ id: ada.id, username: 'ada', theme: null, locale: null })
    expect(world.hearth.callers.bySignIn(secret ?? '')).toEqual({ ...ada, sign_in: id })
  }
})

test('no table contains the secret', async () => {
  const { secret } = await world.call(signIn, anonymous, { login: 'ada', password: PASSWORD })
  const rows = world.hearth.db.all<Record<string, unknown>>('SELECT * FROM sign_ins')
  expect(rows.length).toBeGreaterThan(0)
  expect(JSON.stringify(rows)).not.toContain(secret ?? 'missing')
})

test('wrong password, unknown name and missing password get the same message', async () => {
  await world.user('carl')
  const answers = await Promise.all(
    [
      ['ada', 'wrong password'],
      ['nobody', PASSWORD],
      ['nobody@example.com', PASSWORD],
      ['carl', PASSWORD],
      ['carl', ''],
    ].map(async ([login = '', password = '']) => {
      const error = await refusal(world.call(signIn, anonymous, { login, password }))
      return [error.code, error.reason, error.field, error.message]
    }),
  )
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
  expect(answers[0]).toEqual(['invalid', null, 'password', 'the name or the password is wrong'])
})

test('an unconfirmed account can sign in, by its address only while nobody else claims that', async () => {
  await withPassword(world, 'dora', { verified: false, email: 'dora@example.com' })
  await world.call(signIn, anonymous, { login: 'dora@example.com', password: PASSWORD })
  await withPassword(world, 'dora2', { verified: false, email: 'dora@example.com' })
  expect(
    (
      await refusal(
        world.call(signIn, anonymous, { login: 'dora@example.com', password: PASSWORD }),
      )
    ).code,
  ).toBe('invalid')
  await world.call(signIn, anonymous, { login: 'dora', password: PASSWORD })
})

test('only the correct password reveals a suspension', async () => {
  const eve = await withPassword(world, 'eve')
  const { secret } = await world.call(signIn, anonymous, { login: 'eve', password: PASSWORD })
  world.hearth.database.run(
    'UPDATE users SET suspended_at = ? WHERE id = ?',
    '2026-03-01T12:00:00.000Z',
    eve.id,
  )
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'eve', password: PASSWORD }))).reason,
  ).toBe('suspended')
  expect(
    (await refusal(world.call(signIn, anonymous, { login: 'eve', password: 'not hers at all' })))
      .code,
  ).toBe('invalid')
  expect(world.hearth.callers.bySignIn(secret ?? '')).toMatchObject({ suspended: true })
})

test('a hash with fewer rounds is replaced at sign-in', async () => {
  const fay = await withPassword(world, 'fay')
  const old = await new PasswordHasher().hash(PASSWORD, 1000)
  await world.write((tx) => setPasswordHash(tx, fay.id, old))
  await world.call(signIn, anonymous, { login: 'fay', password: PASSWORD })
  const renewed = findUserById(world.hearth.db, fay.id)?.password_hash ?? ''
  expect(renewed).toStartWith('pbkdf2$sha256$600000$')
  await world.call(signIn, anonymous, { login: 'fay', password: PASSWORD })
  expect(findUserById(world.hearth.db, fay.id)?.password_hash).toBe(renewed)
})

test('a sign-in expires 30 days after its last use, which is recorded at most once a minute', async () => {
  const { secret, id } = await world.call(signIn, anonymous, { login: 'ada', password: PASSWORD })
  const row = () =>
    world.hearth.db.one<{ last_used_at: string; expires_at: string }>(
      'SELECT last_used_at, expires_at FROM sign_ins WHERE id = ?',
      id,
    )
  const use = async () => {
    const caller = world.hearth.callers.bySignIn(secret ?? '')
    world.hearth.writer.flush()
    return caller
  }
  const first = row()
  world.clock.advance(MINUTE - 1)
  await use()
  expect(row()).toEqual(first)
  world.clock.advance(20 * DAY)
  expect(await use()).not.toBeNull()
  expect(row()?.last_used_at).not.toBe(first?.last_used_at)
  world.clock.advance(29 * DAY)
  expect(await use()).not.toBeNull()
  world.clock.advance(30 * DAY)
  expect(await use()).toBeNull()
})

test('an unknown secret has no caller', () => {
  expect(world.hearth.callers.bySignIn('')).toBeNull()
  expect(world.hearth.callers.bySignIn('x'.repeat(43))).toBeNull()
})
