/**
 * Who may be assigned: on a private repository its readers; on a public one members, collaborators
 * and the author of the issue.
 */
import type { RepoFacts } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import {
  actorOf,
  actorsOf,
  findUser,
  preloadActors,
  preloadUsers,
  userCaller,
} from '#features/accounts/index.ts'
import { preloadRoles } from '#features/repos/index.ts'
import { invalid } from '#lib/errors.ts'
import { timestamp } from '#lib/time.ts'
import type { Assignee } from '../schema.ts'
import { assigneeIdsOf, findAgent, listCandidates, type CandidateRow } from './store-assignees.ts'

export type RepoRef = Pick<RepoFacts, 'id' | 'workspace_id' | 'full_name'>

/** The name of the built-in agent; before a slash it stands before the name of a program. */
const BUILT_IN_AGENT = 'agent'

export const assigneeRecord = ({ id, kind, username, name, avatar_url }: Actor): Assignee => ({
  id,
  kind: kind === 'agent' ? 'agent' : 'user',
  username,
  name,
  avatar_url,
})

/** The assignees of a record, in the order they were named. */
export const assigneesOf = (hearth: Hearth, repo_id: string, number: number): Assignee[] =>
  assigneeIdsOf(hearth.db, repo_id, number).map((id) => assigneeRecord(actorOf(hearth, id)))

function isAssignable(
  hearth: Hearth,
  repo: RepoRef,
  person_id: string,
  author_id: string | null,
): boolean {
  const person = userCaller(hearth.db, person_id)
  const facts = person && !person.suspended ? hearth.facts.repo(repo.full_name, person) : null
  if (!facts) return false
  return (
    facts.role !== null ||
    (!facts.private && (facts.workspace_role !== null || person_id === author_id))
  )
}

/** People and agents that can be assigned, by username, from `offset` on and at most `limit`. */
export function listAssignable(
  hearth: Hearth,
  repo: RepoRef,
  q: string | null,
  { limit, offset }: { limit: number; offset: number },
): Assignee[] {
  const now = timestamp(hearth.clock.now())
  const found: string[] = []
  let after: CandidateRow | null = null
  do {
    const batch: CandidateRow[] = listCandidates(hearth.db, repo, q, now, { after, limit: BATCH })
    found.push(...assignableOf(hearth, repo, batch))
    after = batch.length < BATCH ? null : (batch.at(-1) ?? null)
  } while (after !== null && found.length < offset + limit)
  return actorsOf(hearth, found.slice(offset, offset + limit)).map(assigneeRecord)
}

/** Candidates whose rights are looked up together. */
const BATCH = 200

/** Those of some candidates who can be assigned, with as many queries for all as for one. */
const assignableOf = (
  hearth: Hearth,
  repo: RepoRef,
  candidates: readonly CandidateRow[],
): string[] =>
  readScope(hearth.db, () => {
    const people = candidates.flatMap(({ id, kind }) => (kind === 'user' ? [id] : []))
    preloadActors(hearth.db, people)
    preloadUsers(hearth.db, people)
    preloadRoles(hearth.db, repo.id, people)
    return candidates.flatMap(({ id, kind }) =>
      kind === 'agent' || isAssignable(hearth, repo, id, null) ? [id] : [],
    )
  })

/**
 * Resolves usernames to distinct ids. Present assignees stay. Throws 422 for a name that is unknown
 * or cannot be assigned, and what starting the built-in agent throws.
 */
export function resolveAssignees(
  hearth: Hearth,
  repo: RepoRef,
  usernames: readonly string[],
  {
    author_id,
    present = [],
    startBuiltIn,
  }: {
    author_id: string
    present?: readonly string[]
    /** Starts the built-in agent, or a program in its place, and returns its actor. */
    startBuiltIn: (program: string | null) => string
  },
): string[] {
  const kept = new Map(actorsOf(hearth, present).map((actor) => [actor.username, actor.id]))
  const ids = usernames.map((given) => {
    const username = given.trim().toLowerCase().replace(/^@/, '')
    const already = kept.get(username) ?? kept.get(given)
    if (already !== undefined) return already
    if (username === BUILT_IN_AGENT) return startBuiltIn(null)
    if (username.startsWith(`${BUILT_IN_AGENT}/`))
      return startBuiltIn(username.slice(BUILT_IN_AGENT.length + 1))
    if (given.includes('/')) {
      const agent = findAgent(
        hearth.db,
        repo.id,
        given.trim().replace(/^@/, ''),
        timestamp(hearth.clock.now()),
      )
      if (!agent) throw invalid('assignees', `no agent ${given} is at work in ${repo.full_name}`)
      return agent.id
    }
    const person = findUser(hearth.db, username)
    // Both cases have the same error, so that it does not reveal which accounts exist.
    if (!person || !isAssignable(hearth, repo, person.id, author_id)) {
      throw invalid('assignees', `${given} cannot be assigned here: list_assignees names who can`)
    }
    return person.id
  })
  return [...new Set(ids)]
}

export const usernamesOf = (hearth: Hearth, ids: readonly string[]): string[] =>
  ids.map((id) => actorOf(hearth, id).username)
