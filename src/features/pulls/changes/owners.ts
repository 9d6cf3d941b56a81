/**
 * Code owners who must approve. Which paths belong to which owner names is computed once for a pair
 * of commits and stored. Names are resolved to people at each read, because team members change.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { findUser, findUserByEmail } from '#features/accounts/index.ts'
import { ownersOfPath, readCodeOwners } from '#features/repos/index.ts'
import { findTeamBySlug, listTeamPeople } from '#features/teams/index.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { PullContext } from '../pull-context.ts'
import type { ReviewStanding } from '../reviews/review-standing.ts'

/** Paths with the same owners. `paths` holds the first of them, `count` is their total. */
export type OwnedPaths = {
  readonly owners: readonly string[]
  readonly paths: readonly string[]
  readonly count: number
}

const MAX_PATHS_PER_GROUP = 100
/** Stored groups. A change of everything would have one for each line of the file. */
const MAX_GROUPS = 500
/** Pattern matches between two yields to the event loop. */
const MATCHES_PER_TURN = 5_000

/**
 * Groups the changed paths by their owners. The code owners file is read from the base, because a
 * change must not name its own reviewers.
 */
export async function ownedPaths(
  hearth: Pick<Hearth, 'git' | 'services'>,
  store: string,
  base: Oid,
  paths: readonly string[],
): Promise<OwnedPaths[]> {
  const file = paths.length === 0 ? null : await readCodeOwners(hearth, store, base)
  if (!file) return []
  const groups = new Map<string, { owners: readonly string[]; paths: string[]; count: number }>()
  let matches = 0
  for (const path of paths) {
    const owners = ownersOfPath(file.rules, path)
    const key = [...owners]
      .map((owner) => owner.toLowerCase())
      .sort()
      .join(' ')
    const group = groups.get(key)
    if (group) {
      group.count++
      if (group.paths.length < MAX_PATHS_PER_GROUP) group.paths.push(path)
    } else if (owners.length > 0 && groups.size < MAX_GROUPS)
      groups.set(key, { owners, paths: [path], count: 1 })
    matches += file.rules.length
    if (matches < MATCHES_PER_TURN) continue
    matches = 0
    await nextTurn()
  }
  return [...groups.values()]
}

/**
 * Ids of the people that an owner name stands for: a person, the members of a team and its child
 * teams, or the holder of a confirmed email address.
 */
function listOwnerPeople(
  { db }: Hearth,
  { repo, full_name }: PullContext,
  owner: string,
): readonly string[] {
  if (!owner.startsWith('@')) {
    const person = findUserByEmail(db, owner)
    return person ? [person.id] : []
  }
  const [workspace, slug] = owner.slice(1).split('/')
  if (slug === undefined) {
    const person = findUser(db, workspace ?? '')
    return person ? [person.id] : []
  }
  const team =
    workspace?.toLowerCase() === full_name.split('/')[0]
      ? findTeamBySlug(db, repo.workspace_id, slug)
      : null
  return team ? listTeamPeople(db, team.id, { below: true }) : []
}

/**
 * The groups of paths without a counted approval by an owner. Owners who cannot approve leave their
 * paths unapproved.
 */
export function unapprovedPaths(
  hearth: Hearth,
  context: PullContext,
  owned: readonly OwnedPaths[],
  standings: readonly ReviewStanding[],
): OwnedPaths[] {
  const approvers = new Set(
    standings.flatMap(({ review, counted }) =>
      counted && review.verdict === 'approve' ? [review.author_id] : [],
    ),
  )
  const known = new Map<string, boolean>()
  const hasApproved = (owner: string): boolean => {
    const before = known.get(owner)
    if (before !== undefined) return before
    const found =
      approvers.size > 0 && listOwnerPeople(hearth, context, owner).some((id) => approvers.has(id))
    known.set(owner, found)
    return found
  }
  return owned.filter(({ owners }) => !owners.some(hasApproved))
}
