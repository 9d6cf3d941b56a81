/**
 * Code owners who must approve. Which paths of a change belong to whom is found once for a pair of
 * commits, with what else git says of it, and kept with the names as they are written. Whom the
 * names stand for is looked up each time, because people leave teams.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { findUser, findUserByEmail } from '#features/accounts/index.ts'
import { ownersOfPath, readCodeOwners } from '#features/repos/index.ts'
import { findTeamBySlug, listPeople } from '#features/teams/index.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { PullContext } from './context.ts'
import type { Standing } from './standing.ts'

/** Paths with the same owners. Of many paths only the first are named. */
export type OwnedPaths = {
  readonly owners: readonly string[]
  readonly paths: readonly string[]
  readonly count: number
}

const MOST_PATHS = 100
/** Groups that are kept; a change of everything would have one for each line of the file. */
const MOST_GROUPS = 500
/** Matches between two looks at what else waits. */
const MATCHES_AT_ONCE = 5_000

/**
 * The owned paths of a change, by the file of code owners that the base has: a change must not name
 * its own reviewers.
 */
export async function ownedPaths(
  hearth: Pick<Hearth, 'git'>,
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
      if (group.paths.length < MOST_PATHS) group.paths.push(path)
    } else if (owners.length > 0 && groups.size < MOST_GROUPS)
      groups.set(key, { owners, paths: [path], count: 1 })
    matches += file.rules.length
    if (matches < MATCHES_AT_ONCE) continue
    matches = 0
    await nextTurn()
  }
  return [...groups.values()]
}

/**
 * Ids of the people behind a name: a person, everyone of a team and of the teams below it, or
 * whoever confirmed an address.
 */
function peopleOf(
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
  return team ? listPeople(db, team.id, { below: true }) : []
}

/**
 * Those groups of paths that no owner has approved with effect. Owners who cannot approve leave
 * their paths unapproved.
 */
export function unapproved(
  hearth: Hearth,
  context: PullContext,
  owned: readonly OwnedPaths[],
  standings: readonly Standing[],
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
      approvers.size > 0 && peopleOf(hearth, context, owner).some((id) => approvers.has(id))
    known.set(owner, found)
    return found
  }
  return owned.filter(({ owners }) => !owners.some(hasApproved))
}
