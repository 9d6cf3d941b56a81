/** Owners, as cargo and gem name those who are admins of a package by a role of its own. */
import type { DoorRequest } from '../door/door-request.ts'
import { listPackageAccess } from '../access/list-package-access.ts'
import { removePackageAccess } from '../access/remove-package-access.ts'
import { setPackageAccess } from '../access/set-package-access.ts'

const TEAM_PREFIX = 'team:'
export const MAX_OWNERS = 100

/** Usernames, and teams as `team:<slug>`. */
export async function listOwners(door: DoorRequest, name: string): Promise<string[]> {
  const { people, teams } = await door.call(listPackageAccess, name, {})
  return [
    ...people.filter(({ role }) => role === 'admin').map(({ username }) => username),
    ...teams.filter(({ role }) => role === 'admin').map(({ team }) => `${TEAM_PREFIX}${team}`),
  ]
}

const holderOf = (owner: string): { username: string } | { team: string } =>
  owner.startsWith(TEAM_PREFIX)
    ? { team: owner.slice(TEAM_PREFIX.length) }
    : { username: owner.slice(0, 100) }

export async function addOwner(door: DoorRequest, name: string, owner: string): Promise<void> {
  await door.call(setPackageAccess, name, { ...holderOf(owner), role: 'admin' })
}

export async function removeOwner(door: DoorRequest, name: string, owner: string): Promise<void> {
  await door.call(removePackageAccess, name, holderOf(owner))
}
