import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { listPages, pageSummary } from './pages.ts'
import { WikiPages } from './schema.ts'
import { requireWiki } from './wiki.ts'

const SIZES = { size: 100, max: 100 }

export const listWikiPages = operation({
  name: 'list_wiki_pages',
  summary:
    'List the pages of the wiki of a repository that you can see, by slug, without their text. _Sidebar and _Footer are among them.',
  keywords: ['wiki', 'documentation pages', 'handbook', 'all wiki pages'],
  route: 'GET /repos/{owner}/{name}/wiki',
  toolset: 'wiki',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    q: Type.Optional(Type.String({ maxLength: 200, description: 'Words of the title.' })),
    ...byPage(SIZES),
  }),
  output: WikiPages,
  list: 'page',

  handler: async ({ hearth, db, repo }, { q = '', ...paging }) => {
    const wiki = requireWiki(db, repo)
    const window = windowOf(paging, SIZES)
    const words = q
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '')
    const pages = (await listPages(hearth, wiki.store, wiki.head, { sizes: true })).files
      .map((page) => pageSummary(hearth, repo, page))
      .filter(({ slug, title }) => {
        const text = `${slug} ${title}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
    const { offset, limit } = window
    return pageOf(pages.slice(offset, offset + limit), window, pages.length)
  },
})
