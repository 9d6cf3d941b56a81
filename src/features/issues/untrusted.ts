/**
 * Whose words are data and nothing more. Whoever lacks write on a repository may still write
 * issues, comments and pull requests there, and an agent that reads them must not take them for
 * instructions: their places in an answer are named (RFC 6901).
 */
import type { RepoGrant } from '#core/access.ts'
import { reaches } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Actor } from '#core/schema.ts'
import { keepUsers, userCaller } from '#features/accounts/index.ts'
import { keepRoles, repoByPath } from '#features/repos/index.ts'
import type { Comment, Issue, IssueDetail } from './schema.ts'

/** What the answers of this feature are looked at with. */
export type Reading = {
  readonly hearth: Hearth
  readonly repo: Pick<RepoGrant, 'full_name' | 'workspace_id'>
}

/**
 * Tells whether an actor's words are to be distrusted: a person without write now, an agent of one,
 * or another workspace's token. What the service wrote by itself (null) is trusted. Each actor is
 * looked up once.
 */
export function distrust({ hearth, repo }: Reading): (actor: Actor | null) => boolean {
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
          : lacksWrite(actor.on_behalf_of?.id ?? actor.id)
      known.set(actor.id, found)
    }
    return found
  }
}

/** Brings what is asked about the people behind a page into the look that is under way. */
export function keepStandings(
  { hearth: { db }, repo }: Reading,
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
  keepUsers(db, people)
  keepRoles(db, place.parent_id ?? place.id, people)
}

/** Pointers to those of these fields of a record that hold text. */
export const places = <R extends object>(
  at: string,
  record: R,
  ...fields: (keyof R & string)[]
): string[] =>
  fields
    .filter((field) => typeof record[field] === 'string' && record[field] !== '')
    .map((field) => `${at}/${field}`)

export const issuePlaces = (at: string, issue: Issue): string[] => [
  ...places(at, issue, 'title', 'body'),
  ...issue.checks.map((_, index) => `${at}/checks/${index}`),
]

export const commentPlaces = (at: string, comment: Comment): string[] => [
  ...places(at, comment, 'body'),
  ...(comment.suggestion === null ? [] : places(`${at}/suggestion`, comment.suggestion, 'text')),
]

type Written = { readonly author: Actor | null }

/** For a list: the places of every item whose author is distrusted. */
export const inList =
  <R extends Written>(of: (at: string, item: R) => string[]) =>
  (list: { items: readonly R[] }, reading: Reading): string[] => {
    keepStandings(
      reading,
      list.items.map(({ author }) => author),
    )
    const distrusted = distrust(reading)
    return list.items.flatMap((item, index) =>
      distrusted(item.author) ? of(`/items/${index}`, item) : [],
    )
  }

/** For one record. */
export const inRecord =
  <R extends Written>(of: (at: string, record: R) => string[]) =>
  (record: R, reading: Reading): string[] =>
    distrust(reading)(record.author) ? of('', record) : []

/** For an issue with all that belongs to it. */
export function inIssueDetail({ issue, pulls, comments }: IssueDetail, reading: Reading): string[] {
  const distrusted = distrust(reading)
  return [
    ...(distrusted(issue.author) ? issuePlaces('/issue', issue) : []),
    ...pulls.flatMap((pull, index) =>
      distrusted(pull.author) ? places(`/pulls/${index}`, pull, 'title', 'agent') : [],
    ),
    ...comments.flatMap((comment, index) =>
      distrusted(comment.author) ? commentPlaces(`/comments/${index}`, comment) : [],
    ),
  ]
}
