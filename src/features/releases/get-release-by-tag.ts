import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notFound } from '#lib/errors.ts'
import { releaseRecord } from './release-record.ts'
import { Release, TagName } from './schema.ts'
import { findReleaseByTag } from './store.ts'
import { listUntrustedNotes } from './untrusted-notes.ts'

export const getReleaseByTag = operation({
  name: 'get_release_by_tag',
  summary: 'Get the published release of a tag, in a repository that you can see.',
  keywords: ['release of a tag', 'release for a version number'],
  route: 'GET /repos/{owner}/{name}/releases/tags/{tag}',
  toolset: 'releases',
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath, tag: TagName }),
  output: Release,
  untrusted: (release) => listUntrustedNotes(release),

  handler: ({ hearth, db, repo }, { tag }) => {
    const row = findReleaseByTag(db, repo.id, tag)
    if (!row || row.published_at === null) throw notFound(`the release of ${tag}`)
    return releaseRecord(hearth, repo, row)
  },
})
