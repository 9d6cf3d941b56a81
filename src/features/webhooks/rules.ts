import type { Hearth } from '#core/hearth.ts'
import { parseOutboundRules, type OutboundRules } from '#lib/outbound.ts'

const known = new WeakMap<Hearth['settings'], OutboundRules>()

/** What the operator allows besides public addresses, read once. */
export function rulesOf({ settings }: Pick<Hearth, 'settings'>): OutboundRules {
  let rules = known.get(settings)
  if (!rules) known.set(settings, (rules = parseOutboundRules(settings.outbound_allow)))
  return rules
}
