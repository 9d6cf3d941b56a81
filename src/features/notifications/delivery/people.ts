/** Resolves mentions to people, and actors to the people behind them. */
import type { Tx } from '#core/write.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf, findUser } from '#features/accounts/index.ts'
import { isIntegrationActor } from '#features/issues/index.ts'
import { findTeamBySlug, findTeamRole, listTeamPeople } from '#features/teams/index.ts'
import { findStanding, findWorkspace } from '#features/workspaces/index.ts'
import type { SubscriptionReason } from '../subscriptions/store-subscriptions.ts'

/**
 * The person behind an actor: the person itself, or that of an agent. Null for the service, for
 * workspaces, and for integrations, whose news are news to the person who connected them too.
 */
export function personBehind(hearth: Hearth, actor_id: string | null): string | null {
  if (actor_id !== null && isIntegrationActor(actor_id)) return null
  const actor = actorOf(hearth, actor_id)
  const id = actor?.on_behalf_of?.id ?? actor?.id ?? null
  return id?.startsWith('usr_') ? id : null
}

/** The members of a team that the author of a mention can see. */
function teamPeople(tx: Tx, slug: string, team_slug: string, by: string | null): string[] {
  const workspace = findWorkspace(tx.db, slug)
  const standing = workspace && by !== null ? findStanding(tx.db, workspace.id, by) : null
  const team = workspace && standing ? findTeamBySlug(tx.db, workspace.id, team_slug) : null
  if (!team || !standing || by === null || team.notify === 0) return []
  if (
    team.visibility === 'secret' &&
    standing.role !== 'owner' &&
    findTeamRole(tx.db, team.id, by) === null
  )
    return []
  return listTeamPeople(tx.db, team.id, { below: true })
}

/** All people that these names mean; `by` is the author. */
export function listMentioned(
  tx: Tx,
  names: readonly string[],
  by: string | null,
): [user_id: string, because: Extract<SubscriptionReason, 'mention' | 'team_mention'>][] {
  return names.flatMap((name): [string, 'mention' | 'team_mention'][] => {
    const [first = '', team] = name.split('/')
    if (team !== undefined) return teamPeople(tx, first, team, by).map((id) => [id, 'team_mention'])
    const person = findUser(tx.db, first)
    return person ? [[person.id, 'mention']] : []
  })
}

/** All people of usernames, and of teams as `workspace/team`. */
export const listNamed = (tx: Tx, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const [first = '', slug] = name.split('/')
    const workspace = slug === undefined ? null : findWorkspace(tx.db, first)
    const team = workspace && findTeamBySlug(tx.db, workspace.id, slug ?? '')
    if (slug === undefined) return findUser(tx.db, first)?.id ?? []
    return team ? listTeamPeople(tx.db, team.id, { below: true }) : []
  })
