import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { commitPersonLookup, fileDiffRecord, FileChange, titleOf } from '#features/repos/index.ts'
import { notFound } from '#lib/errors.ts'
import { resolveRevision } from './pages.ts'
import { WikiRevision } from './schema.ts'
import { requireWiki } from './wiki.ts'

/** Files of one commit that a page shows with their lines. */
const MAX_FILES = 50

export const getWikiChange = operation({
  name: 'get_wiki_change',
  summary: 'Get what one commit changed in the wiki, for its site.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, revision: Type.String({ maxLength: 64 }) }),
  output: Type.Object({
    ...Type.Omit(WikiRevision, ['html_url']).properties,
    files: Type.Array(FileChange),
  }),

  handler: async ({ hearth, db, repo }, { revision }) => {
    const wiki = requireWiki(db, repo)
    const oid = await resolveRevision(hearth, wiki, revision)
    const commit = await hearth.git.readCommit(wiki.store, oid)
    if (!commit) throw notFound(`the revision ${revision}`)
    const { files } = await hearth.git.diff(wiki.store, commit.parents[0] ?? null, oid, {
      hunks: true,
      limit: MAX_FILES,
    })
    return {
      revision: oid,
      message: titleOf(commit.message),
      author: commitPersonLookup(hearth)(commit.author),
      files: files.slice(0, MAX_FILES).map((file) => fileDiffRecord(file)),
    }
  },
})
