/**
 * Marks texts of untrusted authors in responses, by JSON pointers (RFC 6901). People without write
 * may still write issues, comments and pull requests. An agent that reads these texts must not take
 * them for instructions.
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { preloadUsers, userCaller } from '#features/accounts/index.ts'
import { preloadRoles, repoByPath } from '#features/repos/index.ts'
import type { Comment, Issue, IssueDetail, IssueOverview } from './schema.ts'

/** The request that a response is for. */
export type UntrustedScope = {
  readonly hearth: Hearth
  readonly repo: Pick<RepoGrant, 'full_name' | 'workspace_id'>
}

/** Whether an actor passes on what other services sent: its texts are by strangers. */
export const isIntegrationActor = (actor_id: string): boolean => actor_id.startsWith('itg_')

/**
 * Returns a function that tells whether an actor is untrusted: a person without write now, an agent
 * of one, the token of another workspace, or an integration. The service itself (null) is trusted.
 * Each actor is looked up once.
 */
export function untrustedAuthors({
  hearth,
  repo,
}: UntrustedScope): (actor: Actor | null) => boolean {
  const known = new Map<string, boolean>()
  const lacksWrite = (person_id: string): boolean => {
    const person = userCaller(hearth.db, person_id)
    return (
      person === null ||
      person.suspended ||
      !reaches(hearth.facts.repo(repo.full_name, person)?.role ?? null, 'write')
    )
  }
  return (actor) => {
    if (actor === null) return false
    let found = known.get(actor.id)
    if (found === undefined) {
      found =
        actor.kind === 'workspace'
          ? actor.id !== repo.workspace_id
          : isIntegrationActor(actor.id) || lacksWrite(actor.on_behalf_of?.id ?? actor.id)
      known.set(actor.id, found)
    }
    return found
  }
}

/** Preloads the accounts and roles of the authors of a page into the current read scope. */
export function preloadAuthors(
  { hearth: { db }, repo }: UntrustedScope,
  authors: readonly (Actor | null)[],
): void {
  const people = [
    ...new Set(
      authors.flatMap((author) =>
        author === null || author.kind === 'workspace'
          ? []
          : [author.on_behalf_of?.id ?? author.id],
      ),
    ),
  ]
  const place = repoByPath(db, repo.full_name)
  if (place === null || people.length < 2) return
  preloadUsers(db, people)
  preloadRoles(db, place.parent_id ?? place.id, people)
}

/** Pointers to those of the given fields that hold text. */
export const textPointers = <R extends object>(
  at: string,
  record: R,
  ...fields: (keyof R & string)[]
): string[] =>
  fields
    .filter((field) => typeof record[field] === 'string' && record[field] !== '')
    .map((field) => `${at}/${field}`)

export const issuePointers = (at: string, issue: Issue): string[] => [
  ...textPointers(at, issue, 'title', 'body'),
  ...issue.checks.map((_, index) => `${at}/checks/${index}`),
]

export const commentPointers = (at: string, comment: Comment): string[] => [
  ...textPointers(at, comment, 'body'),
  ...(comment.suggestion === null
    ? []
    : textPointers(`${at}/suggestion`, comment.suggestion, 'text')),
]

type Authored = { readonly author: Actor | null }

/** Pointers for items below `at`, of each whose author is untrusted. */
export const inItems = <R extends Authored>(
  at: string,
  items: readonly R[],
  distrusted: (actor: Actor | null) => boolean,
  of: (at: string, item: R) => string[],
): string[] =>
  items.flatMap((item, index) => (distrusted(item.author) ? of(`${at}/${index}`, item) : []))

/** Pointers for a list, of each item whose author is untrusted. */
export const inList =
  <R extends Authored>(of: (at: string, item: R) => string[]) =>
  (list: { items: readonly R[] }, reading: UntrustedScope): string[] => {
    preloadAuthors(
      reading,
      list.items.map(({ author }) => author),
    )
    return inItems('/items', list.items, untrustedAuthors(reading), of)
  }

/** Pointers for one record. */
export const inRecord =
  <R extends Authored>(of: (at: string, record: R) => string[]) =>
  (record: R, reading: UntrustedScope): string[] =>
    untrustedAuthors(reading)(record.author) ? of('', record) : []

/** Pointers for the detail of an issue, with or without comments. */
export function inIssueDetail(
  { comments = [], issue, pulls }: IssueOverview & Partial<Pick<IssueDetail, 'comments'>>,
  reading: UntrustedScope,
): string[] {
  const distrusted = untrustedAuthors(reading)
  return [
    ...(distrusted(issue.author) ? issuePointers('/issue', issue) : []),
    ...inItems('/pulls', pulls, distrusted, (at, pull) => textPointers(at, pull, 'title', 'agent')),
    ...inItems('/comments', comments, distrusted, commentPointers),
  ]
}
