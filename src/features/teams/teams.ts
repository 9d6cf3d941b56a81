/** Finding teams as a caller may see them, what the caller may do with them, and their records. */
import type { WorkspaceGrant } from '#core/access.ts'
import type { Caller, SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { oneLine } from '#features/workspaces/index.ts'
import { conflict, forbidden, invalid, notFound } from '#lib/errors.ts'
import { isSlug, slugify } from '#lib/slug.ts'
import { assignmentRecord } from './assignment.ts'
import type { Team, TeamMember, TeamRole } from './schema.ts'
import { countsOf, findTeamBySlug, listLine, type Eyes, type TeamRow } from './store.ts'
import { findTeamRole, type TeamMemberRow } from './store-members.ts'

export const TEAM_NAME_LENGTH = 80
export const TEAM_DESCRIPTION_LENGTH = 350
/** How many teams may stand one above the other. */
export const DEEPEST = 6

const RESERVED: ReadonlySet<string> = new Set(['owners', 'members', 'everyone'])

/** The workspace of the call with the caller's role there. */
export type Place = Pick<WorkspaceGrant, 'id' | 'slug' | 'role'>

/**
 * Whose membership counts: a person's, and for an agent that of nobody, because teams are people.
 */
const personOf = (caller: Caller): string | null => (caller.kind === 'user' ? caller.id : null)

/** What somebody sees in a workspace: owners all, others what is visible and what they are in. */
export const eyesOf = (place: Place, caller: Caller): Eyes => ({
  owner: place.role === 'owner',
  person_id: personOf(caller),
})

export const roleInTeam = (db: Db, team_id: string, caller: Caller): TeamRole | null => {
  const person = personOf(caller)
  return person === null ? null : findTeamRole(db, team_id, person)
}

/** Gives 404 for a team that is not there, and for a secret one that the caller is not in. */
export function requireTeam(db: Db, place: Place, slug: string, caller: Caller): TeamRow {
  const row = findTeamBySlug(db, place.id, slug)
  const seen =
    row &&
    (row.visibility === 'visible' ||
      place.role === 'owner' ||
      roleInTeam(db, row.id, caller) !== null)
  if (!row || !seen) throw notFound(`the team ${slug} of ${place.slug}`)
  return row
}

/**
 * Owners and the team's maintainers; not through a token that is limited to some repositories,
 * because a team reaches others.
 */
export function canManage(
  db: Db,
  place: Place,
  team: Pick<TeamRow, 'id'>,
  caller: Caller,
): boolean {
  if (caller.kind !== 'user' || (caller.token?.repos ?? null) !== null) return false
  return place.role === 'owner' || roleInTeam(db, team.id, caller) === 'maintainer'
}

/** Gives 403 `role`. */
export function requireManager(db: Db, place: Place, team: TeamRow, caller: Caller): void {
  if (!canManage(db, place, team, caller))
    throw forbidden(
      'role',
      `only an owner of ${place.slug} or a maintainer of the team ${team.slug} may do this`,
    )
}

export function teamRecord(hearth: Hearth, row: TeamRow, place: Place, caller: SignedIn): Team {
  const { members, repos, children } = countsOf(hearth.db, row.id)
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
    viewer_role: roleInTeam(hearth.db, row.id, caller),
    can_manage: canManage(hearth.db, place, row, caller),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

export const teamMemberRecord = (hearth: Hearth, row: TeamMemberRow): TeamMember => ({
  user: actorOf(hearth, row.user_id),
  role: row.role,
  state: 'active',
  added_at: row.added_at,
  added_by: actorOf(hearth, row.added_by),
})

/** Gives 422 for a name without a visible character. */
export function teamName(text: string): string {
  const name = oneLine(text, TEAM_NAME_LENGTH)
  if (name === '') throw invalid('name', 'name must have at least one visible character')
  return name
}

/**
 * The slug of a new team: the one given, or made from the name. Gives 422 for one that cannot be,
 * 409 `already_exists` for one that is taken or reserved.
 */
export function freeSlug(db: Db, place: Place, name: string, given: string | undefined): string {
  const slug = given ?? slugify(name)
  if (given === undefined && slug === '')
    throw invalid(
      'slug',
      'no slug can be made from this name; give one of lowercase letters, digits and single hyphens',
    )
  if (!isSlug(slug))
    throw invalid(
      'slug',
      'slug must be 1 to 39 lowercase letters and digits, with single hyphens between them',
    )
  if (RESERVED.has(slug))
    throw conflict('already_exists', `the slug ${slug} is reserved; choose another`)
  if (findTeamBySlug(db, place.id, slug))
    throw conflict(
      'already_exists',
      `a team with the slug ${slug} is there already; choose another`,
    )
  return slug
}

/**
 * The team that is to stand above another (null: a new one). Whoever puts a team there gives it
 * what the upper one has, so they must manage that too. Gives 422 for a loop, a depth of more than
 * six, and secret teams.
 */
export function requireParent(
  tx: Tx,
  place: Place,
  slug: string,
  caller: SignedIn,
  below: TeamRow | null,
): TeamRow {
  const parent = findTeamBySlug(tx.db, place.id, slug)
  const seen =
    parent &&
    (parent.visibility === 'visible' ||
      place.role === 'owner' ||
      roleInTeam(tx.db, parent.id, caller) !== null)
  if (!parent || !seen) throw invalid('parent', `there is no team ${slug} in ${place.slug}`)
  if (parent.visibility === 'secret')
    throw invalid('parent', 'a secret team stands alone: it can be no parent')
  if (!canManage(tx.db, place, parent, caller)) {
    throw forbidden(
      'role',
      `a team below ${slug} inherits its roles, so only an owner of ${place.slug} or a maintainer of ${slug} may put one there`,
    )
  }
  const above = listLine(tx.db, parent.id, 'up')
  if (below && above.some(({ id }) => id === below.id))
    throw invalid('parent', `${slug} stands below ${below.slug}, so it cannot stand above it`)
  const height = below
    ? Math.max(...listLine(tx.db, below.id, 'down').map(({ distance }) => distance)) + 1
    : 1
  if (above.length + height > DEEPEST)
    throw invalid('parent', `at most ${DEEPEST} teams may stand one above the other`)
  return parent
}
