/** Users with an authenticator, and their sign-in. */
import { Secret, TOTP } from 'otpauth'
import { anonymous, type UserCaller } from '#core/caller.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import { enableTwoFactor } from '#features/accounts/two-factor/enable-two-factor.ts'
import { getTwoFactorSetup } from '#features/accounts/two-factor/get-two-factor-setup.ts'
import { startTwoFactor } from '#features/accounts/two-factor/start-two-factor.ts'
import { MINUTE } from '#lib/time.ts'
import type { World } from '../../../world.ts'
import { PASSWORD } from '../with-password.ts'

/**
 * Sets up an authenticator as the settings page does. Returns a function for its current code, and
 * the recovery codes.
 */
export async function withAuthenticator(world: World, person: UserCaller) {
  await world.call(startTwoFactor, person, {})
  const setup = await world.call(getTwoFactorSetup, person, {})
  const totp = new TOTP({ secret: Secret.fromBase32(setup?.secret ?? '') })
  const code = () => totp.generate({ timestamp: world.clock.now() })
  const { recovery_codes } = await world.call(enableTwoFactor, person, { code: code() })
  world.clock.advance(MINUTE)
  return { code, recovery: recovery_codes ?? [], setup }
}

export const firstFactor = (world: World, login: string) =>
  world.call(signIn, anonymous, { login, password: PASSWORD })

/** A code that differs from a valid one. */
export const wrongCode = (code: string): string =>
  String((Number(code) + 1) % 1_000_000).padStart(6, '0')
