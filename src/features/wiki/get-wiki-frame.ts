import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { listPages, pageSummary } from './pages.ts'
import { FOOTER, isSpecial, SIDEBAR } from './names.ts'
import { WikiPageSummary } from './schema.ts'
import { requireWiki } from './wiki.ts'

/** Of the pages that a sidebar lists by itself. */
const MAX_LISTED = 60
const MAX_FRAME_BYTES = 64 * 1024

/** What surrounds a page on the site: the sidebar, the footer, and the list of pages. */
export const getWikiFrame = operation({
  name: 'get_wiki_frame',
  summary: 'Get the sidebar, the footer and the first pages of a wiki, for its site.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Type.Object({
    sidebar: Nullable(Type.String()),
    footer: Nullable(Type.String()),
    pages: Type.Array(WikiPageSummary),
    total: Type.Integer(),
  }),

  handler: async ({ hearth, db, repo }) => {
    const { store, head } = requireWiki(db, repo)
    const list = await listPages(hearth, store, head)
    const text = async (slug: string): Promise<string | null> => {
      const found = list.find(slug)
      const blob = found && (await hearth.git.readBlob(store, found.entry.oid, MAX_FRAME_BYTES))
      return blob ? new TextDecoder().decode(blob.data) : null
    }
    const pages = list.files.filter(({ slug }) => !isSpecial(slug))
    return {
      sidebar: await text(SIDEBAR),
      footer: await text(FOOTER),
      pages: pages.slice(0, MAX_LISTED).map((page) => pageSummary(hearth, repo, page)),
      total: pages.length,
    }
  },
})
