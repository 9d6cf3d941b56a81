import { getArchiveLink } from '#features/repos/index.ts'
import type { Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

/**
 * The archive of a branch, tag or commit, as zip unless `format` says tar.gz: redirects to its
 * download link on this host.
 */
export const archiveDownload: Resource = {
  path: '/:workspace/:repo/archive/*ref',
  async respond(visit) {
    const { url } = await visit.call(getArchiveLink, {
      repo: repoOf(visit),
      ref: visit.params.ref ?? '',
      format: visit.url.searchParams.get('format') === 'tar.gz' ? 'tar.gz' : 'zip',
    })
    return new Response(null, {
      status: 302,
      headers: { location: new URL(url).pathname, 'cache-control': 'no-store' },
    })
  },
}
