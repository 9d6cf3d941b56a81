import { getArchiveLink } from '#features/repos/index.ts'
import { redirectToFile, type Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'

/** `<ref>.tar.gz` and `<ref>.zip`, as other forges write addresses of archives. */
const SUFFIXED = /^(?:refs\/(?:heads|tags)\/)?(.+)\.(tar\.gz|zip)$/

/**
 * The archive of a branch, tag or commit, as zip unless the address ends in `.tar.gz` or `format`
 * says tar.gz: redirects to its download link on this host.
 */
export const archiveDownload: Resource = {
  path: '/:workspace/:repo/archive/*ref',
  async respond(visit) {
    const format = visit.url.searchParams.get('format')
    const given = visit.params.ref ?? ''
    const [, ref = given, suffix = null] = format === null ? (SUFFIXED.exec(given) ?? []) : []
    const { url } = await visit.call(getArchiveLink, {
      repo: repoOf(visit),
      ref,
      format: (format ?? suffix) === 'tar.gz' ? 'tar.gz' : 'zip',
    })
    return redirectToFile(visit, new URL(url).pathname)
  },
}
