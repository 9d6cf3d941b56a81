/** Users with a passkey. */
import { anonymous, type UserCaller } from '#core/caller.ts'
import { addPasskey } from '#features/accounts/passkeys/add-passkey.ts'
import { startPasskey } from '#features/accounts/passkeys/start-passkey.ts'
import { startPasskeySignIn } from '#features/accounts/passkeys/start-passkey-sign-in.ts'
import type { World } from '../../../world.ts'
import { softPasskey } from './soft-passkey.ts'

export const ORIGIN = 'https://hearth.test'

export async function withPasskey(world: World, person: UserCaller) {
  const key = softPasskey(ORIGIN)
  const start = await world.call(startPasskey, person, {})
  const { recovery_codes } = await world.call(addPasskey, person, {
    name: 'Laptop',
    state: start?.state ?? '',
    response: key.make(start?.options ?? ''),
  })
  return { key, recovery_codes }
}

export const startChallenge = async (world: World) => {
  const start = await world.call(startPasskeySignIn, anonymous, {})
  if (!start) throw new Error('passkeys are not possible')
  return start
}
