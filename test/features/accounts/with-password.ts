import { PasswordHasher } from '#lib/password/password.ts'
import { typeId } from '#core/ids.ts'
import { insertUser } from '#features/accounts/store/users.ts'
import { userCaller } from '#features/accounts/index.ts'
import type { UserCaller } from '#core/caller.ts'
import type { World } from '../../world.ts'

export const PASSWORD = 'correct horse battery'

/** Creates a user with a password. */
export async function withPassword(
  world: World,
  username: string,
  options: { verified?: boolean; email?: string } = {},
): Promise<UserCaller> {
  const id = typeId('usr', world.clock.now())
  const password_hash = await new PasswordHasher().hash(PASSWORD)
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
