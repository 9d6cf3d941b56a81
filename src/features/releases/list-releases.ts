import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { releaseRecords } from './release-record.ts'
import { Releases } from './schema.ts'
import { countReleases, listReleaseRows } from './store.ts'
import { listUntrustedNotes } from './untrusted-notes.ts'

export const listReleases = operation({
  name: 'list_releases',
  summary:
    'List the releases of a repository that you can see, the newest first, each with its notes and files. Drafts are among them for those with Write.',
  keywords: ['all versions', 'releases', 'version history'],
  route: 'GET /repos/{owner}/{name}/releases',
  toolset: 'releases',
  listed: 'default',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath, ...byPage() }),
  output: Releases,
  list: 'page',
  untrusted: ({ items }) =>
    items.flatMap((release, at) => listUntrustedNotes(release, `/items/${at}`)),

  handler: ({ hearth, db, repo }, paging) => {
    const window = windowOf(paging)
    const drafts = repo.can('write')
    const rows = listReleaseRows(db, repo.id, {
      drafts,
      limit: window.limit + 1,
      offset: window.offset,
    })
    return pageOf(releaseRecords(hearth, repo, rows), window, countReleases(db, repo.id, drafts))
  },
})
