import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { requireWiki } from './wiki.ts'

/** What the route of a picture in the wiki needs to send it. */
export const openWikiFile = operation({
  name: 'open_wiki_file',
  summary: 'Find a file of the wiki for whoever opens it.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, path: Type.String({ minLength: 1, maxLength: 4096 }) }),
  output: Type.Object({ store: Type.String(), oid: Type.String(), size: Type.Integer() }),

  handler: async ({ hearth, db, repo }, { path }) => {
    const { store, head } = requireWiki(db, repo)
    const entry = head === null ? null : await hearth.git.findEntry(store, head, path)
    if (entry?.type !== 'file') throw notFound(`the file ${path.slice(0, 200)}`)
    const blob = await hearth.git.readBlob(store, entry.oid, 0)
    if (!blob) throw notFound(`the file ${path.slice(0, 200)}`)
    return { store, oid: entry.oid, size: blob.size }
  },
})
