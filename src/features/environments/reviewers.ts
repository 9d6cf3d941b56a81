/** Reviewers of environments: people and teams, by id in rows and by name for users. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { RepoGrant } from '#core/access.ts'
import { actorOf, findUser, findUserById, userCaller } from '#features/accounts/index.ts'
import { findTeam, findTeamBySlug, listTeamPeople } from '#features/teams/index.ts'
import { invalid } from '#lib/errors.ts'
import type { EnvironmentRow } from './store.ts'

type Place = Pick<RepoGrant, 'full_name' | 'workspace' | 'workspace_id'>

/** Whether a person may read a repository by a role of their own, or as a member. */
function canRead(hearth: Hearth, full_name: string, person_id: string): boolean {
  const person = userCaller(hearth.db, person_id)
  const facts = person && !person.suspended ? hearth.facts.repo(full_name, person) : null
  if (facts === null || facts.deleted) return false
  return facts.role !== null || (!facts.private && facts.workspace_role !== null)
}

/**
 * Resolves names to ids. Throws 422 at a name that cannot review, with one message for unknown and
 * hidden accounts.
 */
export function readReviewers(hearth: Hearth, place: Place, names: readonly string[]): string[] {
  const ids = names.map((given, at) => {
    const name = given.trim().replace(/^@/, '')
    const slash = name.indexOf('/')
    const refuse = () =>
      invalid(`reviewers[${at}]`, `${given} cannot review deployments of ${place.full_name}`)
    if (slash >= 0) {
      const team = findTeamBySlug(hearth.db, place.workspace_id, name.slice(slash + 1))
      const isHere = name.slice(0, slash).toLowerCase() === team?.workspace.toLowerCase()
      if (!team || !isHere || team.visibility !== 'visible') throw refuse()
      return team.id
    }
    const person = findUser(hearth.db, name)
    if (!person || !canRead(hearth, place.full_name, person.id)) throw refuse()
    return person.id
  })
  return [...new Set(ids)]
}

export const reviewerIds = ({ reviewers }: Pick<EnvironmentRow, 'reviewers'>): string[] =>
  JSON.parse(reviewers) as string[]

/** Usernames, and teams as `workspace/team`. Leaves out what is gone. */
export const reviewerNames = (hearth: Hearth, row: Pick<EnvironmentRow, 'reviewers'>): string[] =>
  reviewerIds(row).flatMap((id) => {
    if (id.startsWith('usr_'))
      return findUserById(hearth.db, id) ? [actorOf(hearth, id).username] : []
    const team = findTeam(hearth.db, id)
    return team ? [`${team.workspace}/${team.slug}`] : []
  })

/** Whether a person is a reviewer, or in a team that is one. */
export const isReviewer = (
  db: Db,
  row: Pick<EnvironmentRow, 'reviewers'>,
  person_id: string,
): boolean =>
  reviewerIds(row).some((id) =>
    id.startsWith('usr_')
      ? id === person_id
      : listTeamPeople(db, id, { below: true }).includes(person_id),
  )
