/**
 * The author name and email of commits that the service creates for a caller. With `private_email`
 * on (the default) a no-reply address replaces the user's own.
 */
import type { Signature } from '#git'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { findActor } from '../store/actors.ts'
import { findUserById } from '../store/users.ts'

/**
 * `<id without its prefix>+<name>@users.noreply.<site host>`. The id keeps the address unique to
 * one user even when usernames change hands.
 */
export const privateAddress = (
  hearth: Pick<Hearth, 'settings'>,
  id: string,
  username: string,
): string =>
  `${id.slice(id.indexOf('_') + 1)}+${username}@users.noreply.${new URL(hearth.settings.site_url).hostname}`

/** For an agent this is the identity of the user it acts for. */
export function commitIdentity(
  hearth: Pick<Hearth, 'db' | 'settings' | 'clock'>,
  caller: SignedIn,
): Signature {
  const time = Math.floor(hearth.clock.now() / 1000)
  const id = caller.kind === 'agent' ? caller.owner_id : caller.id
  const username = caller.kind === 'agent' ? caller.owner_username : caller.username
  const user = caller.kind === 'workspace' ? null : findUserById(hearth.db, id)
  const name = (user ? user.name : findActor(hearth.db, id)?.name) ?? username
  const email =
    user && user.private_email === 0 && user.verified_at !== null
      ? user.email
      : privateAddress(hearth, id, username)
  return { name, email, time, zone: '+0000' }
}
