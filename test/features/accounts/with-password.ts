import { hashPassword } from '#lib/password.ts'
import { typeId } from '#lib/typeid.ts'
import { insertUser } from '#features/accounts/store.ts'
import { userCaller } from '#features/accounts/index.ts'
import type { UserCaller } from '#core/caller.ts'
import type { World } from '../../world.ts'

export const PASSWORD = 'correct horse battery'

/** A person who can sign in. */
export async function withPassword(
  world: World,
  username: string,
  options: { verified?: boolean; email?: string } = {},
): Promise<UserCaller> {
  const id = typeId('usr', world.clock.now())
  const password_hash = await hashPassword(PASSWORD)
  await world.write((tx) =>
    insertUser(tx, {
      id,
      username,
      email: options.email ?? `${username}@example.com`,
      name: null,
      password_hash,
      verified: options.verified ?? true,
      site_admin: false,
    }),
  )
  const caller = userCaller(world.hearth.db, id)
  if (!caller) throw new Error(`${username} was not made`)
  return caller
}
