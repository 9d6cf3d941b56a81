/**
 * Bypass actors of a ruleset. The actor itself decides: an agent never bypasses rules, whatever its
 * person may do.
 */
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { memo } from '#core/read-scope.ts'
import { actorOf, findToken, findUser } from '#features/accounts/index.ts'
import { findTeam, findTeamBySlug, listTeamPeople } from '#features/teams/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { invalid } from '#lib/errors.ts'
import { isTypeId } from '#core/ids.ts'
import { BYPASS_ROLES, type BypassActor, type NewBypass } from './schema.ts'

/**
 * A stored bypass actor. `value` is the id of a team, person or token, so that a renamed account
 * keeps it and a new account of that name does not get it.
 */
export type StoredBypass = {
  readonly kind: BypassActor['kind']
  readonly value: string
  readonly mode: BypassActor['mode']
}

/**
 * Resolves `<workspace>/<team>` or a slug to the id of a team. Throws 422 at the field, for secret
 * teams too, because everyone who is subject to a ruleset can read it.
 */
export function requireTeamId(
  db: Db,
  workspace: { id: string; slug: string },
  text: string,
  field: string,
): string {
  const [first = '', ...rest] = text.replace(/^@/, '').split('/')
  const [of, slug] = rest.length === 0 ? [workspace.slug, first] : [first, rest.join('/')]
  const team = of.toLowerCase() === workspace.slug ? findTeamBySlug(db, workspace.id, slug) : null
  if (team?.visibility !== 'visible')
    throw invalid(
      field,
      `there is no team ${text} in ${workspace.slug} that everyone there sees; give it as ${workspace.slug}/<team>`,
    )
  return team.id
}

const teamOf = (db: Db, id: string) => memo(db, 'team', id, () => findTeam(db, id))

/** The path `<workspace>/<team>` of an id; the id itself when the team is deleted or secret. */
export function teamPathOf(db: Db, id: string): string {
  const team = teamOf(db, id)
  return team?.visibility === 'visible' ? `${team.workspace}/${team.slug}` : id
}

/** Whether a person is a member of a team or of one of its child teams. Reads each team once. */
export function isInTeam(
  db: Db,
  workspace_id: string,
  team_id: string,
  person_id: string,
): boolean {
  const people = () => new Set(listTeamPeople(db, team_id, { below: true }))
  return (
    teamOf(db, team_id)?.workspace_id === workspace_id &&
    memo(db, 'team people', team_id, people).has(person_id)
  )
}

/** Reads bypass actors. Throws 422 at the faulty entry. */
export function readBypass(
  db: Db,
  workspace: { id: string; slug: string },
  given: NewBypass,
): StoredBypass[] {
  const seen = new Set<string>()
  return given.flatMap(({ kind, value: text, mode = 'always' }, index) => {
    const field = `bypass_actors[${index}].value`
    const value = idOf(db, workspace, kind, text.trim(), field)
    if (seen.has(`${kind} ${value}`)) throw invalid(field, `${text} is named twice`)
    seen.add(`${kind} ${value}`)
    return [{ kind, value, mode }]
  })
}

function idOf(
  db: Db,
  workspace: { id: string; slug: string },
  kind: StoredBypass['kind'],
  text: string,
  field: string,
): string {
  if (kind === 'team') return requireTeamId(db, workspace, text, field)
  if (kind === 'role') {
    if (!BYPASS_ROLES.some((role) => role === text))
      throw invalid(field, `a role is one of ${BYPASS_ROLES.join(', ')}`)
    return text
  }
  if (kind === 'workspace_token') {
    const token = isTypeId(text, 'tok') ? findToken(db, text) : null
    if (token?.kind !== 'workspace' || token.actor_id !== workspace.id)
      throw invalid(
        field,
        `there is no token ${text} of the workspace ${workspace.slug}; give its id`,
      )
    return token.id
  }
  if (text.includes('/')) throw invalid(field, 'an agent cannot pass rules; name a person')
  const person = findUser(db, text.replace(/^@/, ''))
  if (!person) throw invalid(field, `there is no user ${text}`)
  return person.id
}

export function bypassRecord(hearth: Hearth, { kind, value, mode }: StoredBypass): BypassActor {
  if (kind === 'team') return { kind, value: teamPathOf(hearth.db, value), mode }
  return { kind, value: kind === 'user' ? actorOf(hearth, value).username : value, mode }
}

export type BypassWay = 'move' | 'merge'

type BypassScope = { readonly workspace_id: string; readonly full_name: string }

/** Whether the caller may bypass these rules in a repository, by moving refs or by merging. */
export function mayBypass(
  hearth: Hearth,
  { workspace_id, full_name }: BypassScope,
  actors: readonly StoredBypass[],
  by: SignedIn | null,
  way: BypassWay,
): boolean {
  const own = actors.filter(({ mode }) => mode === 'always' || way === 'merge')
  if (own.length === 0 || by === null || by.kind === 'agent') return false
  if (by.kind === 'workspace')
    return own.some(
      ({ kind, value }) =>
        kind === 'workspace_token' && value === by.token.id && by.id === workspace_id,
    )
  const facts = own.some(({ kind }) => kind === 'role') ? hearth.facts.repo(full_name, by) : null
  const role = facts?.role ?? null
  return own.some(({ kind, value }) => {
    if (kind === 'user') return value === by.id
    if (kind === 'team') return isInTeam(hearth.db, workspace_id, value, by.id)
    if (kind !== 'role' || facts === null) return false
    if (value === 'maintain' || value === 'admin') return reaches(role, value)
    const slug = workspaceById(hearth.db, workspace_id)?.slug
    const workspace = slug === undefined ? null : hearth.facts.workspace(slug, by)
    return reaches(role, 'admin') && workspace?.role === 'owner'
  })
}
