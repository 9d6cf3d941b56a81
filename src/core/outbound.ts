/** The HTTP client for addresses that users name, with the rules of the forge's settings. */
import { OutboundClient, type OutboundError, parseOutboundRules } from '#lib/outbound/outbound.ts'
import type { SignedIn } from './caller.ts'
import type { Hearth } from './hearth.ts'
import { missingScope } from './scopes.ts'

export const outboundClient = ({ settings }: Pick<Hearth, 'settings'>): OutboundClient =>
  new OutboundClient(parseOutboundRules(settings.outbound_allow))

/**
 * What is wrong with an address that a caller named. Only site administrators, who can see
 * `outbound.allow`, are told what its name resolves to.
 */
export function outboundMessage({ message, detail }: OutboundError, caller: SignedIn): string {
  const seesSetting =
    caller.kind === 'user' &&
    caller.site_admin &&
    missingScope(caller.token?.scopes ?? null, 'site:admin') === null
  return seesSetting ? detail : message
}
