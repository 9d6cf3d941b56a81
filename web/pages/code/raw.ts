import { Refusal } from '#lib/errors.ts'
import { Away, type Resource } from '../../site.ts'
import { locate } from './frame.tsx'

/** Types that a browser shows by itself and that cannot run anything here; all others are text or a download. */
const SHOWN: Readonly<Record<string, string>> = {
  png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', webp: 'image/webp', avif: 'image/avif', ico: 'image/x-icon', bmp: 'image/bmp', svg: 'image/svg+xml',
}

const BINARY_WINDOW = 8000

/**
 * A file's bytes. It comes from people who may push, so it is kept from running on the site: no script, no form, no frame, and a
 * sandbox without an origin (CSP `sandbox`).
 */
export const rawFile: Resource = {
  path: '/:workspace/:repo/raw/*rest',
  async answer(visit) {
    const located = await locate(visit, 'raw')
    if (located instanceof Away) return located.response
    const { name, repo, at } = located
    if (at.oid === null || at.type === 'dir' || at.type === 'submodule') throw new Refusal('not_found', 'There is no file at this address.')
    const etag = `"${at.oid}"`
    const headers: Record<string, string> = {
      etag,
      'cache-control': repo.private ? 'private, no-cache' : 'no-cache',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    }
    if (visit.request.headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers })
    const grant = visit.hearth.facts.repo(name, visit.caller)
    const blob = grant && (await visit.hearth.git.blob(grant.store, at.oid))
    if (!blob) throw new Refusal('not_found', 'There is no file at this address.')
    const extension = at.path.split('.').at(-1)?.toLowerCase() ?? ''
    const binary = blob.data.subarray(0, BINARY_WINDOW).includes(0)
    headers['content-type'] = SHOWN[extension] ?? (binary ? 'application/octet-stream' : 'text/plain; charset=utf-8')
    return new Response(blob.data as Uint8Array<ArrayBuffer>, { headers })
  },
}
