import { encodePath } from '#lib/percent-encoding.ts'
import { localBlob } from '#core/blobs.ts'
import { getLatestRelease, openReleaseAsset } from '#features/releases/index.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { Refusal } from '#lib/errors.ts'
import { repoPath } from '../../paths.ts'
import { redirectToFile, type Resource } from '../../site.ts'
import { repoOf } from '../repos/frame.tsx'
import { contentDisposition, digestHeader } from '../../file-headers.ts'
import { t } from '../../text.ts'

/** The file of that name in the latest release, which installers ask for. */
export const latestDownload: Resource = {
  path: '/:workspace/:repo/releases/latest/download/*name',
  async respond(visit) {
    const repo = repoOf(visit)
    const { tag_name } = await visit.call(getLatestRelease, { repo })
    const name = encodePath(visit.params.name ?? '')
    const path = repoPath(repo, `/releases/download/${encodePath(tag_name)}/${name}`)
    return redirectToFile(visit, path)
  },
}

/**
 * A file of a release. Users who may push choose its bytes, so it is always a download with its
 * given type, and nothing in it runs. Responses that start at the first byte count as downloads.
 */
export const assetDownload: Resource = {
  path: '/:workspace/:repo/releases/download/*rest',
  async respond(visit) {
    const { request } = visit
    const rest = visit.params.rest ?? ''
    const cut = rest.lastIndexOf('/')
    if (cut < 1 || cut === rest.length - 1)
      throw new Refusal('not_found', t('There is no file at this address.'))
    const place = { repo: repoOf(visit), tag: rest.slice(0, cut), name: rest.slice(cut + 1) }
    const asset = await visit.call(openReleaseAsset, { ...place, counts: false })
    const etag = `"${asset.sha256}"`
    const headers: Record<string, string> = {
      etag,
      'accept-ranges': 'bytes',
      'content-type': asset.content_type,
      'content-disposition': contentDisposition('attachment', asset.name),
      'last-modified': new Date(asset.created_at).toUTCString(),
      'repr-digest': digestHeader(asset.sha256),
      'cache-control': 'private, no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    }
    if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
    const size = asset.size_in_bytes
    const { status, range, headers: selected } = selectBytes(request, etag, size)
    Object.assign(headers, selected)
    if (status === 416) return new Response(null, { status, headers: selected })
    if (request.method === 'HEAD') return new Response(null, { status, headers })
    const path = await localBlob(visit.hearth, asset.sha256)
    if (path === null) {
      visit.hearth.log.error('a file of a release is missing', {
        asset: asset.id,
        sha256: asset.sha256,
      })
      throw new Refusal(
        'unavailable',
        t(
          'This file is missing on this installation. Its administrators can see it with hearth doctor.',
        ),
      )
    }
    if (range.start === 0) await visit.call(openReleaseAsset, { ...place, counts: true })
    const file = Bun.file(path)
    return new Response(
      status === 206 ? file.slice(range.start, range.start + range.length) : file,
      { status, headers },
    )
  },
}
