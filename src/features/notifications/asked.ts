/**
 * Who is assigned and who is asked to review, and which of them were not when this was last looked
 * at.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { assigneesOf } from '#features/issues/index.ts'
import { findPull, listRequests } from '#features/pulls/index.ts'
import { assignmentOf, findTeam, listPeople } from '#features/teams/index.ts'
import { replaceAsked, type Asking } from './store-subscriptions.ts'

const assigned = (hearth: Hearth, repo_id: string, number: number): string[] =>
  assigneesOf(hearth, repo_id, number).flatMap(({ id }) => (id.startsWith('usr_') ? [id] : []))

/**
 * People asked by name or picked, and the whole of a team that picks nobody or tells everyone.
 * Never who wrote it.
 */
function reviewers(hearth: Hearth, repo_id: string, number: number): string[] {
  const pull = findPull(hearth.db, repo_id, number)
  if (!pull) return []
  const ids = new Set<string>()
  for (const { kind, reviewer_id, whole } of listRequests(hearth.db, pull.id)) {
    if (kind === 'user') ids.add(reviewer_id)
    const team = kind === 'team' ? findTeam(hearth.db, reviewer_id) : null
    if (!team) continue
    const { notify_team, include_child_teams } = assignmentOf(team)
    if (whole === 1 || notify_team)
      for (const id of listPeople(hearth.db, team.id, { below: include_child_teams })) ids.add(id)
  }
  const author = actorOf(hearth, pull.author_id)
  ids.delete(author.on_behalf_of?.id ?? author.id)
  return [...ids]
}

/** Keeps who is asked now and gives those who were not. */
export function newlyAsked(
  tx: Tx,
  repo_id: string,
  number: number,
): [user_id: string, what: Asking][] {
  const of = (what: Asking, ids: readonly string[]) =>
    replaceAsked(tx, repo_id, number, what, ids).map((id): [string, Asking] => [id, what])
  return [
    ...of('assigned', assigned(tx.hearth, repo_id, number)),
    ...of('review_requested', reviewers(tx.hearth, repo_id, number)),
  ]
}
