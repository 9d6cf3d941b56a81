/**
 * Requested reviewers. People and agents are requested by name. A team requests those that its
 * review assignment picks, or all its members. A request ends with a review, whatever its verdict.
 */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  actorOf,
  actorsOf,
  findUser,
  findUserByEmail,
  userCaller,
} from '#features/accounts/index.ts'
import { findAgent } from '#features/issues/index.ts'
import { ownersOf, readCodeOwners } from '#features/repos/index.ts'
import {
  reviewAssignmentOf,
  findTeam,
  findTeamBySlug,
  findTeamRole,
  listTeamPeople,
  listTeamsById,
  pickReviewers,
  recordReviewTurns,
  listReviewTurns,
  type TeamRow,
} from '#features/teams/index.ts'
import { invalid } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import type { PullContext } from '../pull-context.ts'
import { personCanWrite, principalOf } from '../permissions.ts'
import type { Pull } from '../schema.ts'
import type { PullRow } from '../store-pulls.ts'
import {
  countWaiting,
  insertRequest,
  listRequests,
  listRequestsOfAll,
  removeRequest,
  type RequestRow,
} from './store-requests.ts'

type RepoOfReview = Pick<RepoGrant, 'id' | 'full_name' | 'workspace_id'>

/** Ids of accounts and teams that may be requested. */
export type Reviewers = {
  readonly users: readonly string[]
  readonly teams: readonly string[]
  readonly agents: readonly string[]
}
export type ReviewerNames = {
  readonly users?: readonly string[]
  readonly teams?: readonly string[]
  readonly agents?: readonly string[]
}

/** Throws 422 when nobody is named. */
export function requireNames({ users = [], teams = [], agents = [] }: ReviewerNames): void {
  if (users.length + teams.length + agents.length === 0)
    throw invalid('users', 'give at least one of users, teams and agents')
}

/** The author, and the person behind an agent that is the author. */
function authorsOf(hearth: Hearth, pull: Pick<PullRow, 'author_id'>): string[] {
  const author = actorOf(hearth, pull.author_id)
  return [...new Set([author.id, principalOf(author)])]
}

/**
 * Whether a person can review: with a role of their own, or as a member where everyone may read.
 */
function canReview(hearth: Hearth, full_name: string, person_id: string): boolean {
  const person = userCaller(hearth.db, person_id)
  const facts = person && !person.suspended ? hearth.facts.repo(full_name, person) : null
  return (
    facts !== null &&
    !facts.deleted &&
    (facts.role !== null || (!facts.private && facts.workspace_role !== null))
  )
}

/**
 * The team by `slug` or `<workspace>/<slug>`; null for a team of another workspace and for a secret
 * team.
 */
function teamOf(
  hearth: Hearth,
  place: Pick<RepoOfReview, 'workspace_id'>,
  name: string,
): TeamRow | null {
  const [, workspace, slug = ''] = /^@?(?:([^/]+)\/)?([^/]+)$/.exec(name.trim()) ?? []
  const team = findTeamBySlug(hearth.db, place.workspace_id, slug)
  return team &&
    team.visibility === 'visible' &&
    (workspace === undefined || workspace.toLowerCase() === team.workspace)
    ? team
    : null
}

/**
 * Resolves names to ids. Throws 422 at a name that cannot be requested; the message is the same for
 * an unknown account, so that it does not reveal which accounts exist.
 */
export function resolveReviewers(
  hearth: Hearth,
  place: RepoOfReview,
  pull: PullRow,
  { users = [], teams = [], agents = [] }: ReviewerNames,
): Reviewers {
  const { db } = hearth
  const authors = authorsOf(hearth, pull)
  const unique = (ids: string[]) => [...new Set(ids)]
  return {
    users: unique(
      users.map((given, at) => {
        const person = findUser(db, given.trim().replace(/^@/, ''))
        if (person && authors.includes(person.id))
          throw invalid(
            `users[${at}]`,
            `${given} is the author of #${pull.number}, who cannot review it`,
          )
        if (!person || !canReview(hearth, place.full_name, person.id))
          throw invalid(`users[${at}]`, `${given} cannot be asked to review in ${place.full_name}`)
        return person.id
      }),
    ),
    teams: unique(
      teams.map((given, at) => {
        const team = teamOf(hearth, place, given)
        if (!team)
          throw invalid(
            `teams[${at}]`,
            `there is no team ${given} that can be asked to review in ${place.full_name}`,
          )
        return team.id
      }),
    ),
    agents: unique(
      agents.map((given, at) => {
        const agent = findAgent(
          db,
          place.id,
          given.trim().replace(/^@/, ''),
          timestamp(hearth.clock.now()),
        )
        if (!agent)
          throw invalid(`agents[${at}]`, `no agent ${given} is at work in ${place.full_name}`)
        if (agent.id === pull.author_id)
          throw invalid(
            `agents[${at}]`,
            `${given} is the author of #${pull.number}, who cannot review it`,
          )
        return agent.id
      }),
    ),
  }
}

/**
 * Requests reviews. Existing requests stay, and count for the teams. Returns whether any request is
 * new.
 */
export function requestReviews(
  tx: Tx,
  pull: PullRow,
  place: Pick<RepoOfReview, 'full_name'>,
  { users, teams, agents }: Reviewers,
  by: string | null,
): boolean {
  const ask = (
    reviewer_id: string,
    kind: RequestRow['kind'],
    more: { via_team?: string; whole?: boolean } = {},
  ): boolean =>
    insertRequest(tx, {
      pull_id: pull.id,
      reviewer_id,
      kind,
      via_team: more.via_team ?? null,
      whole: more.whole ? 1 : 0,
      requested_by: by,
    })
  let added = false
  for (const id of users) added = ask(id, 'user') || added
  for (const id of agents) added = ask(id, 'agent') || added
  for (const id of teams) {
    const team = findTeam(tx.db, id)
    if (!team || listRequests(tx.db, pull.id).some(({ reviewer_id }) => reviewer_id === id))
      continue
    const { picks, whole } = pickTeamReviewers(tx, pull, place, team)
    for (const person of picks) ask(person, 'user', { via_team: id })
    recordReviewTurns(tx, id, picks)
    added = ask(id, 'team', { whole }) || added
  }
  return added
}

/**
 * The members that a team requests. `whole` means all members: the assignment picks nobody, or all
 * who could be picked are busy or excluded.
 */
function pickTeamReviewers(
  tx: Tx,
  pull: PullRow,
  { full_name }: Pick<RepoOfReview, 'full_name'>,
  team: TeamRow,
): { picks: string[]; whole: boolean } {
  const rules = reviewAssignmentOf(team)
  if (!rules.enabled) return { picks: [], whole: true }
  const asked = listRequests(tx.db, pull.id).flatMap(({ kind, reviewer_id }) =>
    kind === 'user' ? [reviewer_id] : [],
  )
  const people = listTeamPeople(tx.db, team.id, { below: rules.include_child_teams }).filter((id) =>
    canReview(tx.hearth, full_name, id),
  )
  const waiting = countWaiting(tx.db, people)
  const turns = listReviewTurns(tx.db, team.id)
  const picks = pickReviewers({
    rules,
    asked,
    authors: authorsOf(tx.hearth, pull),
    people: people.map((id) => ({
      id,
      waiting: waiting.get(id) ?? 0,
      asked_at: turns.get(id) ?? 0,
    })),
  })
  return { picks, whole: picks.length === 0 && !people.some((id) => asked.includes(id)) }
}

/**
 * Cancels requests; with a team also of the members that it picked. Throws 422 for somebody who is
 * not requested.
 */
export function cancelRequests(
  tx: Tx,
  pull: PullRow,
  place: RepoOfReview,
  { users = [], teams = [], agents = [] }: ReviewerNames,
): void {
  const requests = listRequests(tx.db, pull.id)
  const names = new Map(
    actorsOf(
      tx.hearth,
      requests.flatMap(({ kind, reviewer_id }) => (kind === 'team' ? [] : [reviewer_id])),
    ).map((actor) => [actor.id, actor.username]),
  )
  const cancel = (field: string, kind: RequestRow['kind'], given: string): void => {
    const team = kind === 'team' ? teamOf(tx.hearth, place, given) : null
    const name = given.trim().replace(/^@/, '').toLowerCase()
    const found = requests.find(
      (row) =>
        row.kind === kind &&
        (team ? row.reviewer_id === team.id : names.get(row.reviewer_id)?.toLowerCase() === name),
    )
    if (!found) throw invalid(field, `${given} is not asked to review #${pull.number}`)
    removeRequest(tx, pull.id, found.reviewer_id)
    if (kind === 'team')
      for (const row of requests)
        if (row.via_team === found.reviewer_id) removeRequest(tx, pull.id, row.reviewer_id)
  }
  users.forEach((given, at) => cancel(`users[${at}]`, 'user', given))
  agents.forEach((given, at) => cancel(`agents[${at}]`, 'agent', given))
  teams.forEach((given, at) => cancel(`teams[${at}]`, 'team', given))
}

/**
 * Ends the requests that a review fulfils: the reviewer's own, and that of a team when all members
 * that it picked have reviewed.
 */
export function endAnsweredRequests(tx: Tx, pull: PullRow, caller: SignedIn): void {
  const before = listRequests(tx.db, pull.id)
  if (before.length === 0) return
  const own = before.find(({ reviewer_id }) => reviewer_id === caller.id)
  if (own) removeRequest(tx, pull.id, caller.id)
  if (caller.kind !== 'user') return
  const left = before.filter((row) => row !== own)
  for (const team of left.filter(({ kind }) => kind === 'team')) {
    const speaksForIt =
      own?.via_team === team.reviewer_id ||
      findTeamRole(tx.db, team.reviewer_id, caller.id) !== null
    if (speaksForIt && !left.some(({ via_team }) => via_team === team.reviewer_id))
      removeRequest(tx, pull.id, team.reviewer_id)
  }
}

/** An empty `requested_reviewers`. */
const NO_REVIEWERS: Pull['requested_reviewers'] = { users: [], teams: [], agents: [] }

/** The requested reviewers of several pull requests, by id. Teams that became secret are left out. */
export function requestedReviewers(
  hearth: Hearth,
  pull_ids: readonly string[],
): (pull_id: string) => Pull['requested_reviewers'] {
  const requests = listRequestsOfAll(hearth.db, pull_ids)
  if (requests.length === 0) return () => NO_REVIEWERS
  const idsOf = (rows: readonly RequestRow[], ...kinds: RequestRow['kind'][]): string[] =>
    rows.flatMap(({ kind, reviewer_id }) => (kinds.includes(kind) ? [reviewer_id] : []))
  const actors = new Map(
    actorsOf(hearth, [...new Set(idsOf(requests, 'user', 'agent'))]).map((one) => [one.id, one]),
  )
  const team_ids = [...new Set(idsOf(requests, 'team'))]
  const teams = team_ids.length === 0 ? [] : listTeamsById(hearth.db, team_ids)
  const byPull = Map.groupBy(requests, ({ pull_id }) => pull_id)
  return (pull_id) => {
    const rows = byPull.get(pull_id)
    if (rows === undefined) return NO_REVIEWERS
    const requestedTeams = new Set(idsOf(rows, 'team'))
    return {
      users: idsOf(rows, 'user').flatMap((id) => actors.get(id) ?? []),
      teams: teams.flatMap(({ id, slug, visibility }) =>
        requestedTeams.has(id) && visibility === 'visible' ? [slug] : [],
      ),
      agents: idsOf(rows, 'agent').flatMap((id) => actors.get(id) ?? []),
    }
  }
}

/**
 * The code owners of changed paths who can be requested: people with write, and visible teams of
 * the workspace. The file is read from the base, because a change must not name its own reviewers.
 */
export async function codeOwners(
  hearth: Hearth,
  { repo, full_name }: PullContext,
  pull: Pick<PullRow, 'base_sha' | 'author_id'>,
  paths: readonly string[],
): Promise<Reviewers> {
  const file = paths.length === 0 ? null : await readCodeOwners(hearth, repo.store, pull.base_sha)
  const users = new Set<string>()
  const teams = new Set<string>()
  const authors = authorsOf(hearth, pull)
  for (const owner of file ? await ownersOf(file, paths) : []) {
    const team = owner.includes('/') ? teamOf(hearth, repo, owner) : null
    if (team) teams.add(team.id)
    const person =
      team || owner.includes('/')
        ? null
        : owner.startsWith('@')
          ? findUser(hearth.db, owner.slice(1))
          : findUserByEmail(hearth.db, owner)
    if (person && !authors.includes(person.id) && personCanWrite(hearth, full_name, person.id))
      users.add(person.id)
  }
  return { users: [...users], teams: [...teams], agents: [] }
}
