/** Images from other sites, which this site fetches for its readers. */
import { openImage } from '#features/images/index.ts'
import type { Resource, SiteSection } from '../../site.ts'

const proxiedImage: Resource = {
  path: '/-/images/:signature/:address',
  async respond(visit) {
    const { type, bytes } = await visit.call(openImage, {
      signature: visit.params.signature ?? '',
      address: visit.params.address ?? '',
    })
    return new Response(visit.request.method === 'HEAD' ? null : bytes.slice(), {
      headers: {
        'content-type': type,
        'content-length': String(bytes.length),
        'cache-control': 'private, max-age=86400',
        'x-content-type-options': 'nosniff',
        // A drawing that is opened by its address runs nothing.
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      },
    })
  },
}

export const images: SiteSection = { resources: [proxiedImage] }
