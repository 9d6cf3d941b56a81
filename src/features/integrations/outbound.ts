/** The HTTP client for integrations, and their addresses. */
import type { Hearth } from '#core/hearth.ts'
import { OutboundClient, parseOutboundRules } from '#lib/outbound/outbound.ts'
import { trimTrailingSlashes } from '#lib/trim-slashes.ts'

/** Reaches public addresses, and what `outbound.allow` and `integrations.allow` add. */
export const integrationClient = ({ settings }: Pick<Hearth, 'settings'>): OutboundClient =>
  new OutboundClient(
    parseOutboundRules([...settings.outbound_allow, ...settings.integrations_allow]),
  )

/** An address below the base address of an integration. */
export function addressBelow(base: string, path: string): URL {
  const url = new URL(base)
  url.pathname = `${trimTrailingSlashes(url.pathname)}${path}`
  url.hash = ''
  return url
}

/** The interface that a model provider speaks. */
export type Wire = 'chat_completions' | 'messages'

/**
 * The address of a call to a model, such as `/chat/completions`. A base address without a path gets
 * `/v1`. For the messages interface any base address may leave it out, as its clients have it.
 */
export function modelAddress(base: string, path: string, wire: Wire): URL {
  const pathname = trimTrailingSlashes(new URL(base).pathname)
  const lacksVersion = pathname === '' || (wire === 'messages' && !/\/v\d+$/.test(pathname))
  return addressBelow(base, lacksVersion ? `/v1${path}` : path)
}
