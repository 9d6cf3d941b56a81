import { expect, test } from 'bun:test'
import { Secret, TOTP } from 'otpauth'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { disableTwoFactor } from '#features/accounts/disable-two-factor.ts'
import { enableTwoFactor } from '#features/accounts/enable-two-factor.ts'
import { finishSignIn } from '#features/accounts/finish-sign-in.ts'
import { getPendingSignIn } from '#features/accounts/get-pending-sign-in.ts'
import { getSecurity } from '#features/accounts/get-security.ts'
import { getTwoFactorSetup } from '#features/accounts/get-two-factor-setup.ts'
import { renewRecoveryCodes } from '#features/accounts/renew-recovery-codes.ts'
import { resetTwoFactor } from '#features/accounts/reset-two-factor.ts'
import { signIn } from '#features/accounts/sign-in.ts'
import { startTwoFactor } from '#features/accounts/start-two-factor.ts'
import { addMember } from '#features/workspaces/index.ts'
import { getRepo } from '#features/repos/get-repo.ts'
import { listMembers } from '#features/workspaces/list-members.ts'
import { setMemberPrivileges } from '#features/workspaces/set-member-privileges.ts'
import { whoami } from '#features/workspaces/whoami.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { makeWorld, refusal } from '../../world.ts'
import { audited } from './audited.ts'
import { letters } from './mailbox.ts'
import { PASSWORD, withPassword } from './with-password.ts'

const world = await makeWorld()

/** Sets an authenticator up as the page does. Gives its codes and the recovery codes. */
async function withAuthenticator(person: UserCaller) {
  await world.call(startTwoFactor, person, {})
  const setup = await world.call(getTwoFactorSetup, person, {})
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') })
  const code = () => totp.generate({ timestamp: world.clock.now() })
  const { recovery_codes } = await world.call(enableTwoFactor, person, { code: code() })
  world.clock.advance(MINUTE)
  return { code, recovery: recovery_codes ?? [], setup }
}
const first = (login: string) => world.call(signIn, anonymous, { login, password: PASSWORD })
const wrongOf = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a password alone opens nothing once an authenticator is on; a code of it does, once', async () => {
  const ada = await withPassword(world, 'ada')
  const { code, recovery, setup } = await withAuthenticator(ada)
  expect(setup?.uri).toStartWith('otpauth://totp/hearth.test:ada?')
  expect(recovery).toHaveLength(10)
  expect((await world.call(whoami, ada, {})).two_factor_enabled).toBe(true)
  expect(await world.call(getTwoFactorSetup, ada, {})).toBeNull()

  const step = await first('ada')
  expect(step.second_factor).toEqual(['totp', 'recovery'])
  expect(world.hearth.callers.bySignIn(step.secret ?? '')).toBeNull()
  expect(await world.call(getPendingSignIn, anonymous, { pending: step.secret ?? '' })).toEqual({
    username: 'ada',
    second_factor: ['totp', 'recovery'],
    passkey: null,
  })

  const used = code()
  const done = await world.call(finishSignIn, anonymous, {
    pending: step.secret ?? '',
    code: `${used.slice(0, 3)} ${used.slice(3)}`,
  })
  expect(done.second_factor).toEqual([])
  // The secret of the first step and that of the sign-in are two.
  expect(done.secret).not.toBe(step.secret)
  expect(world.hearth.callers.bySignIn(done.secret ?? '')).toMatchObject({ id: ada.id })
  expect(world.hearth.callers.bySignIn(step.secret ?? '')).toBeNull()
  // Both the step and its code are used up.
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: step.secret ?? '', code: used })))
      .field,
  ).toBe('pending')
  const again = await first('ada')
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, { pending: again.secret ?? '', code: used }),
      )
    ).field,
  ).toBe('code')
  expect(audited(world, ada.id)).toEqual(['user.authenticator_added'])
}, 30_000)

test('a clock may be half a minute off, not more', async () => {
  const bob = await withPassword(world, 'bob')
  const { code } = await withAuthenticator(bob)
  const late = code()
  world.clock.advance(30 * SECOND)
  await world.call(finishSignIn, anonymous, {
    pending: (await first('bob')).secret ?? '',
    code: late,
  })
  const later = code()
  world.clock.advance(90 * SECOND)
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, {
          pending: (await first('bob')).secret ?? '',
          code: later,
        }),
      )
    ).field,
  ).toBe('code')
}, 30_000)

test('a recovery code works once, in any spelling, and the person is told', async () => {
  const carl = await withPassword(world, 'carl')
  const { recovery } = await withAuthenticator(carl)
  const [one = ''] = recovery
  const typed = one.replaceAll('-', ' ').toUpperCase()
  await world.call(finishSignIn, anonymous, {
    pending: (await first('carl')).secret ?? '',
    code: typed,
  })
  expect((await world.call(getSecurity, carl, {})).recovery_codes_left).toBe(9)
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, {
          pending: (await first('carl')).secret ?? '',
          code: one,
        }),
      )
    ).field,
  ).toBe('code')
  expect(
    (await letters(world)).some(
      ({ to, subject }) =>
        to === 'carl@example.com' && subject.startsWith('A recovery code was used'),
    ),
  ).toBe(true)
  // None of them is in the database as it is.
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM recovery_codes'))).not.toContain(
    recovery[1]?.replaceAll('-', '') ?? 'missing',
  )
}, 30_000)

test('after five wrong codes the password is asked for again, and the person is told', async () => {
  const dora = await withPassword(world, 'dora')
  const { code } = await withAuthenticator(dora)
  const { secret } = await first('dora')
  const errors = []
  for (let n = 0; n < 5; n++)
    errors.push(
      (
        await refusal(
          world.call(finishSignIn, anonymous, { pending: secret ?? '', code: wrongOf(code()) }),
        )
      ).field,
    )
  expect(errors).toEqual(['code', 'code', 'code', 'code', 'pending'])
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: secret ?? '', code: code() })))
      .field,
  ).toBe('pending')
  expect(
    (await letters(world)).some(
      ({ to, subject }) =>
        to === 'dora@example.com' && subject.startsWith('Somebody had your password'),
    ),
  ).toBe(true)
}, 60_000)

test('a first step lives ten minutes, and dies with the password', async () => {
  const eve = await withPassword(world, 'eve')
  const { code } = await withAuthenticator(eve)
  const { secret } = await first('eve')
  world.clock.advance(10 * MINUTE)
  expect(
    (await refusal(world.call(finishSignIn, anonymous, { pending: secret ?? '', code: code() })))
      .field,
  ).toBe('pending')
  expect(
    (await refusal(world.call(getPendingSignIn, anonymous, { pending: 'x'.repeat(43) }))).field,
  ).toBe('pending')
})

test('turning it off needs the password and takes the recovery codes along', async () => {
  const fay = await withPassword(world, 'fay')
  await withAuthenticator(fay)
  expect((await refusal(world.call(disableTwoFactor, fay, { password: 'wrong' }))).field).toBe(
    'password',
  )
  expect((await world.call(getSecurity, fay, {})).two_factor_enabled).toBe(true)
  await world.call(disableTwoFactor, fay, { password: PASSWORD })
  expect(await world.call(getSecurity, fay, {})).toMatchObject({
    two_factor_enabled: false,
    authenticator_since: null,
    recovery_codes_left: 0,
  })
  expect((await first('fay')).second_factor).toEqual([])
  expect(audited(world, fay.id)).toEqual(['user.authenticator_added', 'user.authenticator_removed'])
}, 30_000)

test('new recovery codes replace the old ones', async () => {
  const gus = await withPassword(world, 'gus')
  const { recovery } = await withAuthenticator(gus)
  const { recovery_codes } = await world.call(renewRecoveryCodes, gus, { password: PASSWORD })
  expect(recovery_codes).toHaveLength(10)
  const { secret } = await first('gus')
  expect(
    (
      await refusal(
        world.call(finishSignIn, anonymous, { pending: secret ?? '', code: recovery[0] ?? '' }),
      )
    ).field,
  ).toBe('code')
  await world.call(finishSignIn, anonymous, {
    pending: secret ?? '',
    code: recovery_codes?.[0] ?? '',
  })
}, 30_000)

test('nothing counts until a first right code was shown, and one that is on cannot be replaced unseen', async () => {
  const hal = await withPassword(world, 'hal')
  await world.call(startTwoFactor, hal, {})
  const setup = await world.call(getTwoFactorSetup, hal, {})
  const right = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') }).generate({
    timestamp: world.clock.now(),
  })
  expect((await refusal(world.call(enableTwoFactor, hal, { code: wrongOf(right) }))).field).toBe(
    'code',
  )
  expect((await first('hal')).second_factor).toEqual([])
  // The secret is not in the database as it is.
  expect(JSON.stringify(world.hearth.db.all('SELECT * FROM authenticators'))).not.toContain(
    setup?.secret ?? 'missing',
  )
  await world.call(enableTwoFactor, hal, { code: right })
  expect((await refusal(world.call(startTwoFactor, hal, {}))).reason).toBe('already_exists')
}, 30_000)

test('an administrator helps whoever has lost everything; nobody else can', async () => {
  const ivy = await withPassword(world, 'ivy')
  await withAuthenticator(ivy)
  const root = await world.user('root', { site_admin: true })
  expect((await refusal(world.call(resetTwoFactor, ivy, { username: 'ivy' }))).reason).toBe('role')
  await world.call(resetTwoFactor, root, { username: 'ivy' })
  expect((await first('ivy')).second_factor).toEqual([])
  expect(audited(world, ivy.id)).toEqual(['user.authenticator_added', 'user.two_factor_reset'])
}, 30_000)

test('a workspace that requires it shows nothing private to those without, until they have it', async () => {
  const boss = await withPassword(world, 'boss')
  const jan = await withPassword(world, 'jan')
  await withAuthenticator(boss)
  const workspace = await world.workspace('bank', { owner: boss })
  await world.write((tx) =>
    addMember(tx, { workspace_id: workspace.id, user_id: jan.id, role: 'member' }),
  )
  await world.repo('bank/vault', { as: boss, private: true })
  await world.repo('bank/flyer', { as: boss })
  expect((await world.call(getRepo, jan, { repo: 'bank/vault' })).name).toBe('vault')
  await world.call(setMemberPrivileges, boss, {
    workspace: 'bank',
    two_factor_requirement_enabled: true,
  })
  expect((await refusal(world.call(getRepo, jan, { repo: 'bank/vault' }))).reason).toBe(
    'two_factor_required',
  )
  expect((await refusal(world.call(listMembers, jan, { workspace: 'bank' }))).reason).toBe(
    'two_factor_required',
  )
  expect((await world.call(getRepo, jan, { repo: 'bank/flyer' })).name).toBe('flyer')
  expect((await world.call(whoami, jan, {})).workspaces).toMatchObject([
    { slug: 'bank', two_factor_required: true },
  ])
  const { items } = await world.call(listMembers, boss, { workspace: 'bank' })
  expect(items.map(({ user, two_factor_enabled }) => [user.username, two_factor_enabled])).toEqual([
    ['jan', false],
    ['boss', true],
  ])
  await withAuthenticator(jan)
  expect((await world.call(getRepo, jan, { repo: 'bank/vault' })).name).toBe('vault')
}, 30_000)
