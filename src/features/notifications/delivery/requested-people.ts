/** Assigned people and requested reviewers, and who of them is new since the last call. */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { assigneesOf } from '#features/issues/index.ts'
import { findPull, listRequests } from '#features/pulls/index.ts'
import { reviewAssignmentOf, findTeam, listTeamPeople } from '#features/teams/index.ts'
import { replaceRequested, type RequestedPerson } from '../subscriptions/store-subscriptions.ts'

const assignedPeople = (hearth: Hearth, repo_id: string, number: number): string[] =>
  assigneesOf(hearth, repo_id, number).flatMap(({ id }) => (id.startsWith('usr_') ? [id] : []))

/**
 * Requested people, without the author: by name, picked for a team, or all members of a team that
 * notifies everyone.
 */
function requestedPeople(hearth: Hearth, repo_id: string, number: number): string[] {
  const pull = findPull(hearth.db, repo_id, number)
  if (!pull) return []
  const ids = new Set<string>()
  for (const { kind, reviewer_id, whole } of listRequests(hearth.db, pull.id)) {
    if (kind === 'user') ids.add(reviewer_id)
    const team = kind === 'team' ? findTeam(hearth.db, reviewer_id) : null
    if (!team) continue
    const { notify_team, include_child_teams } = reviewAssignmentOf(team)
    if (whole === 1 || notify_team)
      for (const id of listTeamPeople(hearth.db, team.id, { below: include_child_teams }))
        ids.add(id)
  }
  const author = actorOf(hearth, pull.author_id)
  ids.delete(author.on_behalf_of?.id ?? author.id)
  return [...ids]
}

/** Stores who is assigned or requested now. Returns those who were not before. */
export function newlyRequested(
  tx: Tx,
  repo_id: string,
  number: number,
): [user_id: string, what: RequestedPerson][] {
  const of = (what: RequestedPerson, ids: readonly string[]) =>
    replaceRequested(tx, repo_id, number, what, ids).map((id): [string, RequestedPerson] => [
      id,
      what,
    ])
  return [
    ...of('assigned', assignedPeople(tx.hearth, repo_id, number)),
    ...of('review_requested', requestedPeople(tx.hearth, repo_id, number)),
  ]
}
