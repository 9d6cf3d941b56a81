import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import {
  commitPersonLookup,
  CommitStats,
  diffCommits,
  FileChange,
  titleOf,
} from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { resolveRevision } from './pages.ts'
import { WikiRevision } from './schema.ts'
import { requireWiki } from './wiki.ts'

const PAGE_SIZES = { size: 100, max: 100 }

export const getWikiChange = operation({
  name: 'get_wiki_change',
  summary: 'Get what one commit changed in the wiki, for its site.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({
    repo: RepoPath,
    revision: Type.String({ maxLength: 64 }),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    ignore_whitespace: Type.Optional(Type.Boolean()),
    ...byPage(PAGE_SIZES),
  }),
  output: Type.Object({
    ...Type.Omit(WikiRevision, ['html_url']).properties,
    files: Type.Array(FileChange),
    totals: CommitStats,
  }),

  handler: async (
    { hearth, db, repo },
    { revision, path, ignore_whitespace: ignoreWhitespace, ...paging },
  ) => {
    const wiki = requireWiki(db, repo)
    const oid = await resolveRevision(hearth, wiki, revision)
    const commit = await hearth.git.readCommit(wiki.store, oid)
    if (!commit) throw notFound(`the revision ${revision}`)
    const window = windowOf(paging, PAGE_SIZES)
    const { files, totals } = await diffCommits(
      hearth,
      wiki.store,
      commit.parents[0] ?? null,
      oid,
      { path, skip: window.offset, limit: window.limit, ignoreWhitespace },
    )
    return {
      revision: oid,
      message: titleOf(commit.message),
      author: commitPersonLookup(hearth)(commit.author),
      files,
      totals,
    }
  },
})
