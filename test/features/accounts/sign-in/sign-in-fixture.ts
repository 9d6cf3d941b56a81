/** Sign-ins from different browsers. */
import { anonymous } from '#core/caller.ts'
import type { CallOptions } from '#core/operation.ts'
import { signIn } from '#features/accounts/sign-in/sign-in.ts'
import type { World } from '../../../world.ts'
import { PASSWORD } from '../with-password.ts'

export const originOf = (ip: string, user_agent: string): CallOptions => ({
  origin: { request_id: null, ip, user_agent },
})

export const signInFrom = async (world: World, login: string, options: CallOptions = {}) =>
  (await world.call(signIn, anonymous, { login, password: PASSWORD }, options)).secret ?? ''

export const callerOf = (world: World, secret: string) => {
  const caller = world.hearth.callers.bySignIn(secret)
  if (caller?.kind !== 'user') throw new Error('nobody is signed in')
  return caller
}
