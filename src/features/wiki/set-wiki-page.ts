import { writesRepo } from '#core/access.ts'
import type { Hearth } from '#core/hearth.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { reportText } from '#core/texts.ts'
import { requireQuota } from '#features/workspaces/index.ts'
import { conflict } from '#lib/errors.ts'
import { editWiki, type Edit } from './edit-wiki.ts'
import { slugForTitle, slugKey, titleOfSlug } from './names.ts'
import { lastChange, listPages, readPage, type PageFile } from './pages.ts'
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
 * The commits that write a page, and the slug that it gets: a new file, a changed one, or one with
 * another name.
 */
async function planEdit(
  hearth: Hearth,
  wiki: Wiki,
  input: PageInput,
): Promise<{ readonly edits: readonly Edit[]; readonly slug: string }> {
  const { slug, title, body, expected_revision } = input
  const pages = await listPages(hearth, wiki.store, wiki.head)
  const present = pages.find(slug)
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
  const other = pages.find(target)
  if (other && other !== present)
    throw conflict('already_exists', `There is a page ${titleOfSlug(other.slug)} already.`, {
      slug: other.slug,
    })
  const data = new TextEncoder().encode(body === '' || body.endsWith('\n') ? body : `${body}\n`)
  const message = (input.message ?? '').trim()
  const name = titleOfSlug(target)
  if (present === null || target === present.slug) {
    const path = present?.entry.path ?? `${target}.md`
    const usual = `${present ? 'Update' : 'Create'} ${name}`
    const edit = { changes: [{ action: 'put' as const, path, data }], message: message || usual }
    return { edits: [edit], slug: target }
  }
  return {
    edits: await planRename(hearth, wiki, present, { path: `${target}.md`, name, data, message }),
    slug: target,
  }
}

/** A commit of its own renames the page, so that git follows its history whatever else changes. */
async function planRename(
  hearth: Hearth,
  { store }: Wiki,
  present: PageFile,
  to: { path: string; name: string; data: Uint8Array; message: string },
): Promise<Edit[]> {
  const usual = `Rename ${titleOfSlug(present.slug)} to ${to.name}`
  const move = { action: 'move' as const, from: present.entry.path, path: to.path }
  const put = { action: 'put' as const, path: to.path, data: to.data }
  const blob = await hearth.git.readBlob(store, present.entry.oid, to.data.length + 1)
  if (blob && Buffer.from(blob.data).equals(to.data))
    return [{ changes: [move], message: to.message || usual }]
  return [
    { changes: [move], message: usual },
    { changes: [put], message: to.message || `Update ${to.name}` },
  ]
}

export const setWikiPage = operation({
  name: 'set_wiki_page',
  summary:
    'Create or change a page of the wiki (Write): title and body replace what is there, and another title renames the page. The answer is the page. expected_revision refuses when it changed since you read it.',
  keywords: [
    'write a page of documentation',
    'edit the wiki',
    'write a wiki page',
    'create a wiki page',
    'rename a wiki page',
  ],
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
        const plan = await planEdit(hearth, present, { ...input, title })
        slug = plan.slug
        return plan.edits
      },
      // The history of the wiki keeps what its pages named.
      (tx) => reportText(tx, repo.id, input.body),
    )
    return readPage(hearth, repo, wiki, wiki.head, slug)
  },
})
