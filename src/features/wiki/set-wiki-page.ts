import { writesRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { reportText } from '#core/texts.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import type { FileChange } from '#git'
import { conflict } from '#lib/errors.ts'
import { editWiki, type Edit } from './edit-wiki.ts'
import { slugForTitle, slugKey, titleOfSlug } from './names.ts'
import { findPageFile, lastChange, listPageFiles, readPage } from './pages.ts'
import { ExpectedRevision, MAX_PAGE_LENGTH, Message, Slug, Title, WikiPage } from './schema.ts'
import type { Wiki } from './wiki.ts'

type PageInput = {
  readonly slug: string
  readonly title: string
  readonly body: string
  readonly message?: string | undefined
  readonly expected_revision?: string | null | undefined
}

const changed = (title: string, actual: string | null) =>
  conflict('head_moved', `${title} was changed since you read it: read it again and repeat`, {
    actual,
  })

/**
 * The commit that writes a page, and the slug that it gets: a new file, a changed one, or one with
 * another name.
 */
async function planEdit(
  hearth: Hearth,
  wiki: Wiki,
  input: PageInput,
): Promise<Edit & { readonly slug: string }> {
  const { slug, title, body, expected_revision } = input
  const pages = await listPageFiles(hearth, wiki.store, wiki.head)
  const present = findPageFile(pages, slug)
  const revision =
    present && wiki.head !== null
      ? (await lastChange(hearth, wiki.store, wiki.head, present.entry.path)).oid
      : null
  if (expected_revision !== undefined && expected_revision !== revision)
    throw changed(title, revision)
  // A page keeps its file unless its title says something else.
  const target =
    present && slugKey(titleOfSlug(present.slug)) === slugKey(title)
      ? present.slug
      : slugForTitle(present?.slug ?? slug, title)
  const other = pages.find((page) => slugKey(page.slug) === slugKey(target))
  if (other && other !== present)
    throw conflict('already_exists', `There is a page ${titleOfSlug(other.slug)} already.`, {
      slug: other.slug,
    })
  const path = present && target === present.slug ? present.entry.path : `${target}.md`
  const data = new TextEncoder().encode(body === '' || body.endsWith('\n') ? body : `${body}\n`)
  const changes: FileChange[] = [{ action: 'put', path, data }]
  if (present && path !== present.entry.path)
    changes.unshift({ action: 'delete', path: present.entry.path })
  const renamed = present !== null && path !== present.entry.path
  const usual = renamed
    ? `Rename ${titleOfSlug(present.slug)} to ${titleOfSlug(target)}`
    : `${present ? 'Update' : 'Create'} ${titleOfSlug(target)}`
  const message = (input.message ?? '').trim()
  return { changes, message: message === '' ? usual : message, slug: target }
}

export const setWikiPage = operation({
  name: 'set_wiki_page',
  summary:
    'Create or change a page of the wiki (Write): title and body replace what is there, and another title renames the page. The answer is the page. expected_revision refuses when it changed since you read it.',
  keywords: ['edit the wiki', 'write a wiki page', 'create a wiki page', 'rename a wiki page'],
  route: 'PUT /repos/{owner}/{name}/wiki/{slug}',
  toolset: 'wiki',
  access: writesRepo('write', { scope: 'code:write' }),
  annotations: { idempotent: true },
  bodyLimit: 3 * MAX_PAGE_LENGTH,
  input: Type.Object({
    repo: RepoPath,
    slug: Slug,
    title: Title,
    body: Type.String({ maxLength: MAX_PAGE_LENGTH, description: 'The whole page, in Markdown.' }),
    message: Message,
    expected_revision: ExpectedRevision,
  }),
  output: WikiPage,

  handler: async ({ hearth, db, repo, caller, write }, input) => {
    requireQuota(hearth, db, repo.workspace_id, 'repos_bytes', Buffer.byteLength(input.body))
    const title = input.title.trim()
    let { slug } = input
    const wiki = await editWiki(
      { hearth, repo, caller, write },
      async (present) => {
        const edit = await planEdit(hearth, present, { ...input, title })
        slug = edit.slug
        return edit
      },
      // The history of the wiki keeps what its pages named.
      (tx) => reportText(tx, repo.id, input.body),
    )
    return readPage(hearth, repo, wiki, wiki.head, slug)
  },
})
