import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nothing, RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { editWiki } from './edit-wiki.ts'
import { titleOfSlug } from './names.ts'
import { listPages } from './pages.ts'
import { Message, Slug } from './schema.ts'

export const deleteWikiPage = operation({
  name: 'delete_wiki_page',
  summary:
    'Delete a page of the wiki (Write). Its history keeps what it said. The answer is empty.',
  keywords: ['remove a wiki page'],
  route: 'DELETE /repos/{owner}/{name}/wiki/{slug}',
  toolset: 'wiki',
  access: writesRepo('write', { scope: 'code:write' }),
  annotations: { destructive: true },
  input: Type.Object({ repo: RepoPath, slug: Slug, message: Message }),
  output: Nothing,
  status: 204,

  handler: async ({ hearth, repo, caller, write }, { slug, message = '' }) => {
    await editWiki({ hearth, repo, caller, write }, async (wiki) => {
      const page = (await listPages(hearth, wiki.store, wiki.head)).find(slug)
      if (page === null) throw notFound(`the page ${slug.slice(0, 200)}`)
      const usual = `Delete ${titleOfSlug(page.slug)}`
      return [
        {
          changes: [{ action: 'delete', path: page.entry.path }],
          message: message.trim() === '' ? usual : message.trim(),
        },
      ]
    })
    return null
  },
})
