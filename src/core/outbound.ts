/** The HTTP client for addresses that users name, with the rules of the forge's settings. */
import { OutboundClient, parseOutboundRules } from '#lib/outbound.ts'
import type { Hearth } from './hearth.ts'

export const outboundClient = ({ settings }: Pick<Hearth, 'settings'>): OutboundClient =>
  new OutboundClient(parseOutboundRules(settings.outbound_allow))
