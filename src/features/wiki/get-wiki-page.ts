import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { readPage, resolveRevision } from './pages.ts'
import { Slug, WikiPage } from './schema.ts'
import { requireWiki } from './wiki.ts'

export const getWikiPage = operation({
  name: 'get_wiki_page',
  summary:
    'Get a page of the wiki of a repository that you can see, as it is now or at a revision. Case, spaces and hyphens of the slug do not matter.',
  keywords: ['read a wiki page', 'wiki home', 'documentation'],
  route: 'GET /repos/{owner}/{name}/wiki/{slug}',
  toolset: 'wiki',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    slug: Slug,
    revision: Type.Optional(
      Type.String({ maxLength: 64, description: 'A commit of the wiki; the newest unless given.' }),
    ),
  }),
  output: WikiPage,

  handler: async ({ hearth, db, repo }, { slug, revision }) => {
    const wiki = requireWiki(db, repo)
    const commit =
      revision === undefined ? wiki.head : await resolveRevision(hearth, wiki, revision)
    return readPage(hearth, repo, wiki, commit, slug)
  },
})
