import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { releaseRecord } from './release-record.ts'
import { Release, ReleaseId } from './schema.ts'
import { requireRelease } from './store.ts'
import { listUntrustedNotes } from './untrusted-notes.ts'

export const getRelease = operation({
  name: 'get_release',
  summary:
    'Get one release of a repository that you can see, with its notes and files. A draft is found only with Write.',
  keywords: ['release details', 'show a release'],
  route: 'GET /repos/{owner}/{name}/releases/{id}',
  toolset: 'releases',
  listed: 'default',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath, id: ReleaseId }),
  output: Release,
  untrusted: (release) => listUntrustedNotes(release),

  handler: ({ hearth, db, repo }, { id }) =>
    releaseRecord(hearth, repo, requireRelease(db, repo.id, id, repo.can('write'))),
})
