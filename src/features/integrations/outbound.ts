/** The HTTP client for integrations, and their addresses. */
import { service } from '#core/service.ts'
import { OutboundClient, parseOutboundRules, socketOf } from '#lib/outbound/outbound.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'

/** Reaches public addresses, and what `outbound.allow` and `integrations.allow` add. */
export const integrationClient = service(
  'outbound client of integrations',
  ({ settings }) =>
    new OutboundClient(
      parseOutboundRules([...settings.outbound_allow, ...settings.integrations_allow]),
    ),
)

/** An address below the base address of an integration. */
export function addressBelow(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${trimTrailingSlashes(url.pathname)}${path}`
  url.hash = ''
  return url
}

/** Where a model answers. The address of a socket has a host for the request alone. */
export type ModelEndpoint = { readonly url: URL; readonly socket?: string }

/** The interface that a model provider speaks. */
export type Wire = 'chat_completions' | 'messages' | 'generate_content'

/**
 * Where a call to a model goes, such as `/chat/completions`; `call` may end with a query. A base
 * address without a path gets `/v1`, or `/v1beta` for generateContent. For interfaces other than
 * chat completions any base address may leave the version out, as their clients have it.
 */
export function modelEndpoint(base_url: string, call: string, wire: Wire): ModelEndpoint {
  const socket = socketOf(base_url)
  const base = socket === null ? base_url : 'http://localhost'
  const [path = '', query = ''] = call.split('?')
  const pathname = trimTrailingSlashes(new URL(base).pathname)
  const mayLack = wire !== 'chat_completions' && !/\/v\d+(alpha|beta)?$/.test(pathname)
  const version = wire === 'generate_content' ? '/v1beta' : '/v1'
  const url = addressBelow(base, pathname === '' || mayLack ? `${version}${path}` : path)
  if (query !== '') url.search = query
  return socket === null ? { url } : { url, socket }
}
