/** Schemas of what is counted in the history and the files of a repository. */
import { Actor, ListOf, Nullable, Sha, Type, type Static } from '#core/schema.ts'

const Day = Type.String({ description: 'A Monday, as YYYY-MM-DD (UTC).', examples: ['2026-11-16'] })

const counts = {
  commits: Type.Integer(),
  additions: Type.Integer({ description: 'Added lines. Merges and binary files have none.' }),
  deletions: Type.Integer(),
}

export const CommitActivity = Type.Object(
  {
    sha: Nullable(
      Type.String({ ...Sha, description: 'The counted commit; null before anything is counted.' }),
    ),
    complete: Type.Boolean({ description: 'Whether the whole history of the branch is counted.' }),
    counted: Type.Integer({ description: 'While it is counted: the commits that are done.' }),
    to_count: Type.Integer({ description: 'While it is counted: all of them, when known.' }),
    contributors: Type.Integer({ description: 'The number of addresses of authors.' }),
    ...counts,
    weeks: Type.Array(Type.Object({ week: Day, ...counts }), {
      description: 'Weeks with commits, oldest first.',
    }),
  },
  { $id: 'CommitActivity', description: 'Commits and changed lines of a default branch by week.' },
)
export type CommitActivity = Static<typeof CommitActivity>

export const Contributor = Type.Object(
  {
    name: Type.String(),
    email: Type.String({ description: 'The address of the commits; the first of several.' }),
    actor: Nullable(Actor),
    ...counts,
    first_week: Day,
    last_week: Day,
    weeks: Type.Array(Type.Object({ week: Day, commits: Type.Integer() })),
  },
  {
    $id: 'Contributor',
    description: 'An author of commits: an account with its addresses, or an address.',
  },
)
export type Contributor = Static<typeof Contributor>
export const Contributors = ListOf(Contributor)

export const LanguageShare = Type.Object(
  { language: Type.String(), bytes: Type.Integer(), percent: Type.Number() },
  { $id: 'LanguageShare' },
)
export type LanguageShare = Static<typeof LanguageShare>
