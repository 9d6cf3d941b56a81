/** Sends bundles (`/<workspace>/<repo>.git/bundle/<commit>.bundle`), whole or by range. */
import { selectBytes } from '#lib/byte-range.ts'

/** A bundle as the engine returns it. */
type Bundle =
  | Uint8Array
  | ReadableStream<Uint8Array>
  | { readonly path: string; readonly size: number }

const headersOf = (oid: string, etag: string): Record<string, string> => ({
  'content-type': 'application/x-git-bundle',
  'content-disposition': `attachment; filename="${oid}.bundle"`,
  // Only the commit names it, but who may read the repository is decided for each request.
  'cache-control': 'private, no-cache',
  etag,
})

/** A bundle that is being built has no length yet, so it is sent whole. */
export function bundleResponse(request: Request, oid: string, bundle: Bundle): Response {
  const etag = `"${oid}"`
  const headers = headersOf(oid, etag)
  if (bundle instanceof ReadableStream) return new Response(bundle, { headers })
  const size = bundle instanceof Uint8Array ? bundle.length : bundle.size
  const { status, range, headers: selected } = selectBytes(request, etag, size)
  const end = range.start + range.length
  const body =
    bundle instanceof Uint8Array
      ? (bundle.subarray(range.start, end) as Uint8Array<ArrayBuffer>)
      : Bun.file(bundle.path).slice(range.start, end)
  return new Response(status === 416 ? null : body, {
    status,
    headers: { ...headers, ...selected },
  })
}
