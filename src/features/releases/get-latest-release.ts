import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { releaseRecord } from './release-record.ts'
import { Release } from './schema.ts'
import { findLatestRelease } from './store.ts'
import { listUntrustedNotes } from './untrusted-notes.ts'

export const getLatestRelease = operation({
  name: 'get_latest_release',
  summary:
    'Get the latest release of a repository that you can see: the one that was set, else the highest version. Drafts and prereleases are never it.',
  keywords: ['newest version', 'last release', 'current version', 'latest version'],
  route: 'GET /repos/{owner}/{name}/releases/latest',
  toolset: 'releases',
  listed: 'default',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Release,
  untrusted: (release) => listUntrustedNotes(release),

  handler: ({ hearth, db, repo }) => {
    const row = findLatestRelease(db, repo.id)
    if (!row) throw notFound(`a release of ${repo.full_name}`)
    return releaseRecord(hearth, repo, row)
  },
})
