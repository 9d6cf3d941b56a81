/** Finds who is meant, gives and takes roles, and builds the record of who has access. */
import type { PackageGrant } from '#core/access.ts'
import type { Caller, Role } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { findUser, loadActors } from '#features/accounts/index.ts'
import { fullNameOf, repoById } from '#features/repos/index.ts'
import { findTeamBySlug, listTeamsById, requireTeam } from '#features/teams/index.ts'
import { findStanding } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import { auditPackage } from '../lifecycle.ts'
import { findPackageRole, putPackageRole, removePackageRole, type PackageRow } from '../store.ts'
import type { PackageAccess } from './schema.ts'
import {
  findTeamRole,
  listPersonRoles,
  listTeamRoles,
  putTeamRole,
  removeTeamRole,
} from './store.ts'

export type Holder =
  | { readonly kind: 'user'; readonly id: string; readonly name: string }
  | { readonly kind: 'team'; readonly id: string; readonly name: string }

type HolderInput = { username?: string | undefined; team?: string | undefined }
type Workspace = Pick<PackageGrant, 'workspace_id' | 'workspace' | 'workspace_role'>

/** Throws 422 unless exactly one of both is given. */
function requireOne({ username, team }: HolderInput): void {
  if ((username === undefined) === (team === undefined))
    throw invalid('username', 'give either username or team')
}

/** Who gets a role. Throws 422 for somebody who is no member, and 404 for an unknown team. */
export function requireHolder(
  db: Db,
  grant: Workspace,
  caller: Caller,
  input: HolderInput,
): Holder {
  requireOne(input)
  if (input.team !== undefined) {
    const workspace = {
      id: grant.workspace_id,
      slug: grant.workspace,
      role: grant.workspace_role ?? 'member',
    }
    const { id, slug } = requireTeam(db, workspace, input.team, caller)
    return { kind: 'team', id, name: slug }
  }
  const username = (input.username ?? '').trim().replace(/^@/, '')
  const user = findUser(db, username)
  if (!user || !findStanding(db, grant.workspace_id, user.id))
    throw invalid('username', `${username} is no member of ${grant.workspace}: invite them first`)
  return { kind: 'user', id: user.id, name: username }
}

/** Whose role is taken back, also after they left; null for nobody. */
export function findHolder(db: Db, grant: Workspace, input: HolderInput): Holder | null {
  requireOne(input)
  if (input.team !== undefined) {
    const team = findTeamBySlug(db, grant.workspace_id, input.team)
    return team && { kind: 'team', id: team.id, name: team.slug }
  }
  const username = (input.username ?? '').trim().replace(/^@/, '')
  const user = findUser(db, username)
  return user && { kind: 'user', id: user.id, name: username }
}

const roleOfHolder = (db: Db, row: PackageRow, { kind, id }: Holder): Role | null =>
  kind === 'user' ? findPackageRole(db, row.id, id) : findTeamRole(db, row.id, id)

/** Gives a role, changes it, or takes it back with null. */
export function changeRole(tx: Tx, row: PackageRow, holder: Holder, role: Role | null): void {
  const before = roleOfHolder(tx.db, row, holder)
  if (before === role) return
  const { kind, id, name } = holder
  if (role === null && kind === 'user') removePackageRole(tx, row.id, id)
  else if (role === null) removeTeamRole(tx, row.id, id)
  else if (kind === 'user') putPackageRole(tx, row.id, id, role)
  else putTeamRole(tx, row.id, id, role)
  auditPackage(tx, 'package.access_changed', row, {
    [kind]: name,
    before: { role: before },
    after: { role },
  })
}

type NamedRole = PackageAccess['people'][number]['role']

export function accessRecord(hearth: Hearth, row: PackageRow): PackageAccess {
  const { db } = hearth
  const people = listPersonRoles(db, row.id)
  const actor = loadActors(
    hearth,
    people.map(({ actor_id }) => actor_id),
  )
  const teams = listTeamRoles(db, row.id)
  const roleOfTeam = new Map(teams.map(({ team_id, role }) => [team_id, role]))
  const repo = row.repo_id === null || row.inherit_access === 0 ? null : repoById(db, row.repo_id)
  return {
    people: people.map(({ actor_id, role }) => {
      const user = actor(actor_id)
      return { user, username: user.username, role: role as NamedRole }
    }),
    teams: listTeamsById(db, [...roleOfTeam.keys()]).map(({ id, slug, name }) => ({
      team: slug,
      name,
      role: roleOfTeam.get(id) as NamedRole,
    })),
    repository: repo && fullNameOf(db, repo),
  }
}
