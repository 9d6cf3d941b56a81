/**
 * `/_artifact/<token>/<name>.zip` sends the zip archive of an artifact to whoever has the link. Only
 * the name of the operation behind it is known here.
 */
import { localBlob } from '#core/blobs.ts'
import { anonymous } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { call, type Typed } from '#core/operation.ts'
import { isNotModified, selectBytes } from '#lib/byte-range.ts'
import { Refusal } from '#lib/errors.ts'
import type { Exchange, HttpRoute } from './exchange.ts'
import { percentDecode } from './query.ts'

type OpenArtifact = Typed<
  { token: string },
  { name: string; sha256: string; size_in_bytes: number }
>

async function serveArtifact(exchange: Exchange, openArtifact: OpenArtifact): Promise<Response> {
  const { hearth, request } = exchange
  exchange.operation = openArtifact.name
  // A reader of the log must not be able to use the link.
  exchange.loggedPath = '/_artifact'
  if (exchange.method !== 'GET')
    throw new Refusal(
      'method_not_allowed',
      `${exchange.method} is not possible here; GET, HEAD are`,
      { headers: { allow: 'GET, HEAD' } },
    )
  const token = percentDecode(exchange.path.split('/')[2] ?? '')
  const { name, sha256, size_in_bytes } = await call(hearth, openArtifact, anonymous, { token })
  const etag = `"${sha256}"`
  const headers: Record<string, string> = {
    etag,
    'content-type': 'application/zip',
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(`${name}.zip`)}`,
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
    'referrer-policy': 'no-referrer',
  }
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  const { status, range, headers: selected } = selectBytes(request, etag, size_in_bytes)
  Object.assign(headers, selected)
  if (status === 416) return new Response(null, { status, headers: selected })
  const path = await localBlob(hearth, sha256)
  if (path === null) {
    hearth.log.error('the file of an artifact is missing', { sha256 })
    throw new Refusal('unavailable', 'the file of this artifact is missing on this installation')
  }
  const bytes = Bun.file(path)
  return new Response(
    status === 206 ? bytes.slice(range.start, range.start + range.length) : bytes,
    { status, headers },
  )
}

export function artifactRoutes(hearth: Hearth): HttpRoute[] {
  const openArtifact = hearth.operationsByName.get('open_artifact') as OpenArtifact | undefined
  if (!openArtifact) return []
  const handler = (exchange: Exchange): Promise<Response> => serveArtifact(exchange, openArtifact)
  return [{ path: '/_artifact/:token/:file', handler }]
}
