/**
 * Updates memberships from a provider's groups at every sign-in. The table records what groups
 * gave, and leaving a group removes only that. Memberships that were given by hand do not change.
 */
import type { SignOnPolicy } from '#core/settings.ts'
import type { Tx } from '#core/write.ts'
import {
  findTeam,
  findTeamBySlug,
  findTeamRole,
  putTeamMember,
  removeTeamMemberRow,
} from '#features/teams/index.ts'
import {
  addMember,
  changeMemberRole,
  endMembership,
  findMember,
  findStanding,
  findWorkspace,
  type WorkspaceRow,
} from '#features/workspaces/index.ts'
import { Refusal } from '#lib/errors.ts'
import {
  listGroupMemberships,
  putGroupMembership,
  removeGroupMembership,
  type GroupMembershipRow,
} from './store.ts'

type Person = { readonly id: string; readonly username: string }

const keyOf = ({
  workspace_id,
  team_id,
}: Pick<GroupMembershipRow, 'workspace_id' | 'team_id'>): string => `${workspace_id} ${team_id}`

/**
 * The memberships that the rules give for these groups. Unknown workspaces and teams are skipped
 * with a warning.
 */
function membershipsForGroups(
  tx: Tx,
  provider: SignOnPolicy,
  person: Person,
  groups: readonly string[],
): Map<string, GroupMembershipRow & { workspace: WorkspaceRow }> {
  const target = new Map<string, GroupMembershipRow & { workspace: WorkspaceRow }>()
  for (const rule of provider.groups.filter(({ group }) => groups.includes(group))) {
    const workspace = findWorkspace(tx.db, rule.workspace)
    const team =
      workspace && rule.team !== null ? findTeamBySlug(tx.db, workspace.id, rule.team) : null
    if (!workspace || (rule.team !== null && !team)) {
      tx.hearth.log.warn('a group leads to a workspace or team that does not exist', {
        provider: provider.id,
        group: rule.group,
        workspace: rule.workspace,
        team: rule.team,
      })
      continue
    }
    const row = {
      provider: provider.id,
      user_id: person.id,
      workspace_id: workspace.id,
      team_id: '',
      role: rule.role,
      workspace,
    }
    const before = target.get(keyOf(row))
    target.set(keyOf(row), before?.role === 'owner' ? before : row)
    if (team)
      target.set(keyOf({ ...row, team_id: team.id }), { ...row, team_id: team.id, role: 'member' })
  }
  return target
}

/**
 * Tries a change that may be refused (the last owner, too many workspaces). A refusal is logged and
 * does not prevent the sign-in.
 */
function tryChange(tx: Tx, person: Person, change: () => void): boolean {
  try {
    change()
    return true
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    tx.hearth.log.warn('a membership by group could not be changed', {
      person: person.id,
      reason: error.reason,
      message: error.message,
    })
    return false
  }
}

const audit = (
  tx: Tx,
  person: Person,
  row: GroupMembershipRow,
  action: 'team.member_added' | 'team.member_removed',
): void =>
  tx.audit({
    action,
    target: { kind: 'user', id: person.id, name: person.username },
    workspace_id: row.workspace_id,
    data: { team: findTeam(tx.db, row.team_id)?.slug ?? null, by_group_of: row.provider },
  })

function addMembership(
  tx: Tx,
  person: Person,
  row: GroupMembershipRow & { workspace: WorkspaceRow },
): void {
  const { workspace, ...membership } = row
  if (row.team_id === '') {
    if (findStanding(tx.db, workspace.id, person.id)) return
    if (
      tryChange(tx, person, () =>
        addMember(tx, { workspace_id: workspace.id, user_id: person.id, role: row.role }),
      )
    )
      putGroupMembership(tx.db, membership)
    return
  }
  if (
    findTeamRole(tx.db, row.team_id, person.id) !== null ||
    !findStanding(tx.db, workspace.id, person.id)
  )
    return
  putTeamMember(tx, { team_id: row.team_id, user_id: person.id, role: 'member', added_by: null })
  putGroupMembership(tx.db, membership)
  audit(tx, person, row, 'team.member_added')
}

function changeRole(
  tx: Tx,
  person: Person,
  row: GroupMembershipRow & { workspace: WorkspaceRow },
): void {
  const member = findMember(tx.db, row.workspace_id, person.username)
  if (
    !member ||
    !tryChange(tx, person, () => changeMemberRole(tx, row.workspace_id, member, row.role))
  )
    return
  const { workspace: _, ...membership } = row
  putGroupMembership(tx.db, membership)
}

function removeMembership(tx: Tx, person: Person, row: GroupMembershipRow): void {
  if (row.team_id !== '') {
    removeTeamMemberRow(tx, row.team_id, person.id)
    removeGroupMembership(tx.db, row)
    audit(tx, person, row, 'team.member_removed')
    return
  }
  const member = findMember(tx.db, row.workspace_id, person.username)
  if (!member || tryChange(tx, person, () => endMembership(tx, row.workspace_id, member)))
    removeGroupMembership(tx.db, row)
}

/**
 * Applies the groups of a user. Null means that the provider sends no groups, so nothing changes.
 */
export function syncGroupMemberships(
  tx: Tx,
  provider: SignOnPolicy,
  person: Person,
  groups: readonly string[] | null,
): void {
  if (groups === null || provider.groups.length === 0) return
  const target = membershipsForGroups(tx, provider, person, groups)
  const current = listGroupMemberships(tx.db, provider.id, person.id)
  // Team memberships are removed before the membership of their workspace.
  for (const row of current.toSorted(
    (a, b) => (a.team_id === '' ? 1 : 0) - (b.team_id === '' ? 1 : 0),
  ))
    if (!target.has(keyOf(row))) removeMembership(tx, person, row)
  const had = new Map(current.map((row) => [keyOf(row), row]))
  for (const [key, row] of target) {
    const before = had.get(key)
    if (!before) addMembership(tx, person, row)
    else if (row.team_id === '' && before.role !== row.role) changeRole(tx, person, row)
  }
}
