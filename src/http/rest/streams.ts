/** What the streamed media types of an operation share: how they are asked for, and headers. */
import type { Exchange } from '../exchange.ts'
import { jsonHeaders } from '../responses.ts'

/** A test of whether the `Accept` header names a media type. */
export function acceptsType(
  mediaType: string,
): ({ request }: Pick<Exchange, 'request'>) => boolean {
  const pattern = new RegExp(`(^|[\\s,])${mediaType}\\b`, 'i')
  return ({ request }) => pattern.test(request.headers.get('accept') ?? '')
}

export function streamHeaders(exchange: Exchange, mediaType: string): Headers {
  const headers = jsonHeaders(exchange)
  headers.set('content-type', `${mediaType}; charset=utf-8`)
  headers.set('cache-control', 'no-store')
  headers.set('vary', 'authorization, accept')
  return headers
}
