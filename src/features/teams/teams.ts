/**
 * Looks up teams for a caller, checks what the caller may do with them, and builds their records.
 */
import type { WorkspaceGrant } from '#core/access.ts'
import type { Caller, SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { loadActors } from '#features/accounts/index.ts'
import { oneLine } from '#features/workspaces/index.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { isSlug, slugify } from '#lib/slug.ts'
import { assignmentRecord } from './review-assignment.ts'
import type { Team, TeamMember, TeamRole } from './schema.ts'
import {
  countsOf,
  findTeamBySlug,
  listTeamLine,
  NO_COUNTS,
  type TeamViewer,
  type TeamRow,
} from './store.ts'
import { findTeamRole, teamRolesOf, type TeamMemberRow } from './store-members.ts'

export const MAX_TEAM_NAME_LENGTH = 80
export const MAX_TEAM_DESCRIPTION_LENGTH = 350
/** The maximum depth of nested teams. */
export const MAX_TEAM_DEPTH = 6

const RESERVED_SLUGS: ReadonlySet<string> = new Set(['owners', 'members', 'everyone'])

/** The workspace of the call with the caller's role in it. */
export type TeamWorkspace = Pick<WorkspaceGrant, 'id' | 'slug' | 'role'>

/**
 * The user whose membership counts. Null for agents and workspaces, because teams consist of users.
 */
const personOf = (caller: Caller): string | null => (caller.kind === 'user' ? caller.id : null)

/**
 * The viewer of teams in a workspace. Owners see all teams, others the visible ones and their own.
 */
export const teamViewerOf = (workspace: TeamWorkspace, caller: Caller): TeamViewer => ({
  owner: workspace.role === 'owner',
  person_id: personOf(caller),
})

export const roleInTeam = (db: Db, team_id: string, caller: Caller): TeamRole | null => {
  const person = personOf(caller)
  return person === null ? null : findTeamRole(db, team_id, person)
}

/** Whether the caller can see a team: a visible one, one of their own, and as owner all. */
export const canSeeTeam = (
  db: Db,
  workspace: TeamWorkspace,
  team: Pick<TeamRow, 'id' | 'visibility'>,
  caller: Caller,
): boolean =>
  team.visibility === 'visible' ||
  workspace.role === 'owner' ||
  roleInTeam(db, team.id, caller) !== null

/** Throws 404 for an unknown team and for a secret one that the caller is not in. */
export function requireTeam(
  db: Db,
  workspace: TeamWorkspace,
  slug: string,
  caller: Caller,
): TeamRow {
  const row = findTeamBySlug(db, workspace.id, slug)
  if (!row || !canSeeTeam(db, workspace, row, caller))
    throw notFound(`the team ${slug} of ${workspace.slug}`)
  return row
}

/**
 * Whether the caller may manage a team in which they have this role: owners and the team's
 * maintainers. Not with a token that is limited to some repositories, because a team reaches others.
 */
const managesAs = (
  workspace: TeamWorkspace,
  caller: Caller,
  role: () => TeamRole | null,
): boolean =>
  caller.kind === 'user' &&
  (caller.token?.repos ?? null) === null &&
  (workspace.role === 'owner' || role() === 'maintainer')

export function canManage(
  db: Db,
  workspace: TeamWorkspace,
  team: Pick<TeamRow, 'id'>,
  caller: Caller,
): boolean {
  return managesAs(workspace, caller, () => roleInTeam(db, team.id, caller))
}

/** Throws 403 `role`. */
export function requireManager(
  db: Db,
  workspace: TeamWorkspace,
  team: TeamRow,
  caller: Caller,
): void {
  if (!canManage(db, workspace, team, caller))
    throw forbidden(
      'role',
      `only an owner of ${workspace.slug} or a maintainer of the team ${team.slug} may do this`,
    )
}

export function teamRecord(
  hearth: Hearth,
  row: TeamRow,
  workspace: TeamWorkspace,
  caller: SignedIn,
): Team {
  const [record] = teamRecords(hearth, [row], workspace, caller)
  if (!record) throw new TypeError('one row has one record')
  return record
}

/** The records of a page of teams of one workspace. */
export function teamRecords(
  hearth: Hearth,
  rows: readonly TeamRow[],
  workspace: TeamWorkspace,
  caller: SignedIn,
): Team[] {
  const { db } = hearth
  const ids = rows.map(({ id }) => id)
  const counts = countsOf(db, ids)
  const person = personOf(caller)
  const roles = person === null ? null : teamRolesOf(db, ids, person)
  return rows.map((row) => {
    const { members, repos, children } = counts.get(row.id) ?? NO_COUNTS
    const viewer_role = roles?.get(row.id) ?? null
    return {
      id: row.id,
      workspace: row.workspace,
      slug: row.slug,
      name: row.name,
      description: row.description,
      visibility: row.visibility,
      parent:
        row.parent_slug === null
          ? null
          : { slug: row.parent_slug, name: row.parent_name ?? row.parent_slug },
      notify: row.notify === 1,
      review_assignment: assignmentRecord(hearth, row),
      members_count: members,
      repos_count: repos,
      child_teams_count: children,
      viewer_role,
      can_manage: managesAs(workspace, caller, () => viewer_role),
      created_at: row.created_at,
      updated_at: row.updated_at,
    }
  })
}

/** The records of team members. */
export function teamMemberRecords(hearth: Hearth, rows: readonly TeamMemberRow[]): TeamMember[] {
  const actor = loadActors(
    hearth,
    rows.flatMap(({ user_id, added_by }) => [user_id, added_by]),
  )
  return rows.map((row) => ({
    user: actor(row.user_id),
    role: row.role,
    state: 'active',
    added_at: row.added_at,
    added_by: actor(row.added_by),
  }))
}

/** Throws 422 for a name without a visible character. */
export function teamName(text: string): string {
  const name = oneLine(text, MAX_TEAM_NAME_LENGTH)
  if (name === '') throw invalid('name', 'name must have at least one visible character')
  return name
}

/**
 * The slug of a new team: the given one, or one derived from the name. Throws 422 for an invalid
 * slug and 409 `already_exists` for a taken or reserved one.
 */
export function requireFreeTeamSlug(
  db: Db,
  workspace: TeamWorkspace,
  name: string,
  requested: string | undefined,
): string {
  const slug = requested ?? slugify(name)
  if (requested === undefined && slug === '')
    throw invalid(
      'slug',
      'no slug can be made from this name; give one of lowercase letters, digits and single hyphens',
    )
  if (!isSlug(slug))
    throw invalid(
      'slug',
      'slug must be 1 to 39 lowercase letters and digits, with single hyphens between them',
    )
  if (RESERVED_SLUGS.has(slug))
    throw conflict('already_exists', `the slug ${slug} is reserved; choose another`)
  if (findTeamBySlug(db, workspace.id, slug))
    throw conflict(
      'already_exists',
      `a team with the slug ${slug} is there already; choose another`,
    )
  return slug
}

/**
 * The new parent of a team (`below`; null for a new team). The child inherits the roles of the
 * parent, so the caller must manage the parent too. Throws 422 for a cycle, a depth over six, and
 * secret teams.
 */
export function requireParent(
  tx: Tx,
  workspace: TeamWorkspace,
  slug: string,
  caller: SignedIn,
  below: TeamRow | null,
): TeamRow {
  const parent = findTeamBySlug(tx.db, workspace.id, slug)
  if (!parent || !canSeeTeam(tx.db, workspace, parent, caller))
    throw invalid('parent', `there is no team ${slug} in ${workspace.slug}`)
  if (parent.visibility === 'secret')
    throw invalid('parent', 'a secret team stands alone: it can be no parent')
  if (!canManage(tx.db, workspace, parent, caller)) {
    throw forbidden(
      'role',
      `a team below ${slug} inherits its roles, so only an owner of ${workspace.slug} or a maintainer of ${slug} may put one there`,
    )
  }
  const above = listTeamLine(tx.db, parent.id, 'up')
  if (below && above.some(({ id }) => id === below.id))
    throw invalid('parent', `${slug} stands below ${below.slug}, so it cannot stand above it`)
  const height = below
    ? Math.max(...listTeamLine(tx.db, below.id, 'down').map(({ distance }) => distance)) + 1
    : 1
  if (above.length + height > MAX_TEAM_DEPTH)
    throw invalid('parent', `at most ${MAX_TEAM_DEPTH} teams may stand one above the other`)
  return parent
}
