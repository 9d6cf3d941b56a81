import { getArchiveLink } from '#features/repos/index.ts'
import type { Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

/** The zip archive of a branch, tag or commit: redirects to its download link on this host. */
export const archiveDownload: Resource = {
  path: '/:workspace/:repo/archive/*ref',
  async respond(visit) {
    const { url } = await visit.call(getArchiveLink, {
      repo: repoOf(visit),
      ref: visit.params.ref ?? '',
    })
    return new Response(null, {
      status: 302,
      headers: { location: new URL(url).pathname, 'cache-control': 'no-store' },
    })
  },
}
