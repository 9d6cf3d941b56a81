/** Schemas of search results. */
import { Actor, Id, Nullable, OneOf, Time, Type, type Static } from '#core/schema.ts'
import { PULL_STATUSES } from '#features/issues/schema.ts'
import { Repo, repoInTools } from '#features/repos/schema.ts'
import { SEARCH_TYPES } from './query.ts'

export const Highlight = Type.Array(Type.Object({ text: Type.String(), match: Type.Boolean() }), {
  description:
    'A text in pieces, in order; the pieces that are a match say so. Joined they are the excerpt.',
})
export type Highlight = Static<typeof Highlight>

export const RepoFound = Type.Object(
  { ...Repo.properties, highlights: Type.Object({ name: Highlight, description: Highlight }) },
  { description: 'A repository.', ...repoInTools },
)

export const CodeFound = Type.Object(
  {
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    path: Type.String(),
    ref: Type.String({ description: 'The branch.' }),
    sha: Type.String({ description: 'The commit that was searched.' }),
    language: Nullable(Type.String()),
    html_url: Type.String(),
    matches: Type.Array(
      Type.Object({ number: Type.Integer({ description: 'The line, from 1.' }), parts: Highlight }),
      { description: 'Lines of the file, at most 8.' },
    ),
    symbols: Type.Array(
      Type.Object({ name: Type.String(), kind: Type.String(), line: Type.Integer() }),
      { description: 'Definitions in the file that fit.' },
    ),
  },
  { description: 'A file.' },
)
export type CodeFound = Static<typeof CodeFound>

const written = {
  id: Type.String(),
  number: Type.Integer(),
  repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
  title: Type.String(),
  author: Actor,
  labels: Type.Array(Type.String()),
  html_url: Type.String(),
  created_at: Time,
  updated_at: Time,
  highlights: Type.Object({
    title: Highlight,
    body: Highlight,
    comments: Type.Array(Type.Object({ id: Id('cmt'), author: Actor, parts: Highlight }), {
      description: 'Comments that hold what was asked for, at most 3.',
    }),
  }),
}
export const IssueFound = Type.Object(
  { ...written, state: OneOf(['open', 'closed']), reason: Nullable(Type.String()) },
  { description: 'An issue.' },
)
export type IssueFound = Static<typeof IssueFound>
export const PullFound = Type.Object(
  { ...written, status: OneOf(PULL_STATUSES) },
  { description: 'A pull request.' },
)
export type PullFound = Static<typeof PullFound>

export const WikiFound = Type.Object(
  {
    repo: Type.String({ description: 'The repository as <owner>/<name>.' }),
    slug: Type.String(),
    title: Type.String(),
    html_url: Type.String(),
    highlights: Type.Object({
      title: Highlight,
      lines: Type.Array(Highlight, { description: 'Lines of the page, at most 8.' }),
    }),
  },
  { description: 'A page of a wiki.' },
)
export type WikiFound = Static<typeof WikiFound>

export const PersonFound = Type.Object(
  {
    id: Id('usr'),
    username: Type.String(),
    name: Nullable(Type.String()),
    avatar_url: Type.String(),
    highlights: Type.Object({ username: Highlight, name: Highlight }),
  },
  { description: 'A person.' },
)
export type PersonFound = Static<typeof PersonFound>

const count = Type.Integer({ minimum: 0, maximum: 1000 })
const Counts = Type.Object(
  {
    repositories: count,
    code: count,
    issues: count,
    pulls: count,
    wiki: count,
    people: count,
  },
  { description: 'What there is of each type: exact up to 1,000, then 1,000.' },
)

const answer = {
  query: Type.String(),
  type: OneOf(SEARCH_TYPES),
  counts: Counts,
  page: Type.Integer(),
  per_page: Type.Integer(),
  next: Nullable(Type.String({ description: 'The cursor of the next page.' })),
  incomplete: Type.Boolean({
    description:
      'True when time ran out, or part of what was asked for is still being taken in: there may be more.',
  }),
}

const Found = Type.Union([RepoFound, CodeFound, IssueFound, PullFound, WikiFound, PersonFound])

export const SearchResult = Type.Object(
  {
    ...answer,
    items: Type.Array(Found, { description: 'Records of the type.' }),
    best: Nullable(
      Type.Array(
        Type.Object({
          type: OneOf(SEARCH_TYPES),
          items: Type.Array(Found, { description: 'At most 3.' }),
        }),
        {
          description:
            'On the first page of a search whose query names no type: the best records of each other type that has any. Null otherwise.',
        },
      ),
    ),
  },
  { $id: 'SearchResult', description: 'What was found.' },
)
export type SearchResult = Static<typeof SearchResult>

export type RepoFound = Static<typeof RepoFound>

export const JumpItem = Type.Object({
  kind: OneOf(['repository', 'issue', 'pull', 'page', 'file', 'search']),
  title: Type.String(),
  detail: Nullable(Type.String()),
  path: Type.String(),
})
export type JumpItem = Static<typeof JumpItem>
