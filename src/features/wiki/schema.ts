/** Schemas of wiki pages. */
import { ListOf, Nullable, Type, type Static } from '#core/schema.ts'
import { CommitPerson } from '#features/repos/index.ts'

export const MAX_PAGE_LENGTH = 512 * 1024
const MAX_TITLE_LENGTH = 200

export const WikiPageSummary = Type.Object(
  {
    slug: Type.String({ description: 'Names the page: its file without the ending.' }),
    title: Type.String(),
    size_in_bytes: Type.Integer(),
    html_url: Type.String(),
  },
  { $id: 'WikiPageSummary', description: 'A page of a wiki, without its text.' },
)
export type WikiPageSummary = Static<typeof WikiPageSummary>
export const WikiPages = ListOf(WikiPageSummary)

export const WikiPage = Type.Object(
  {
    slug: Type.String({ description: 'Names the page: its file without the ending.' }),
    title: Type.String(),
    body: Type.String({ description: 'Markdown.' }),
    truncated: Type.Boolean({ description: 'Whether the page is longer than what is given.' }),
    revision: Type.String({ description: 'The commit that changed the page last.' }),
    author: CommitPerson,
    message: Type.String({ description: 'The first line of that commit’s message.' }),
    html_url: Type.String(),
    git_url: Type.String({ description: 'Where git clones the wiki from.' }),
  },
  { $id: 'WikiPage', description: 'A page of the wiki of a repository.' },
)
export type WikiPage = Static<typeof WikiPage>

export const WikiRevision = Type.Object(
  {
    revision: Type.String({ description: 'A commit that changed the page.' }),
    message: Type.String({ description: 'The first line of its message.' }),
    author: CommitPerson,
    html_url: Type.String({ description: 'The page as it was then.' }),
  },
  { $id: 'WikiRevision', description: 'A change of a wiki page.' },
)
export type WikiRevision = Static<typeof WikiRevision>
export const WikiRevisions = ListOf(WikiRevision)

export const Slug = Type.String({
  minLength: 1,
  maxLength: 1000,
  description: 'The page, such as Home; a slash is percent-encoded.',
})
export const Title = Type.String({
  minLength: 1,
  maxLength: MAX_TITLE_LENGTH,
  description: 'The title, which also names the file.',
})
export const Message = Type.Optional(
  Type.String({ maxLength: 1000, description: 'What changed and why, for the history.' }),
)
export const ExpectedRevision = Type.Optional(
  Nullable(
    Type.String({
      maxLength: 64,
      description:
        'Refuses when the page was changed since this revision; null when it must not exist.',
    }),
  ),
)
