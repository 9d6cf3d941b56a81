import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { listPages, revisionRecords } from './pages.ts'
import { Slug, WikiRevisions } from './schema.ts'
import { requireWiki } from './wiki.ts'

export const listWikiRevisions = operation({
  name: 'list_wiki_revisions',
  summary:
    'List the changes of a page of the wiki of a repository that you can see, the newest first.',
  keywords: ['history of a wiki page', 'who changed the wiki', 'earlier versions of a page'],
  route: 'GET /repos/{owner}/{name}/wiki/{slug}/revisions',
  toolset: 'wiki',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, slug: Slug, ...byPage() }),
  output: WikiRevisions,
  list: 'page',

  handler: async ({ hearth, db, repo }, { slug, ...paging }) => {
    const wiki = requireWiki(db, repo)
    const window = windowOf(paging)
    const page = (await listPages(hearth, wiki.store, wiki.head)).find(slug)
    if (wiki.head === null || page === null) throw notFound(`the page ${slug.slice(0, 200)}`)
    const commits = await hearth.git.log(wiki.store, {
      tips: [wiki.head],
      path: page.entry.path,
      follow: true,
      skip: window.offset,
      limit: window.limit + 1,
    })
    return pageOf(revisionRecords(hearth, repo, page.slug, commits), window)
  },
})
