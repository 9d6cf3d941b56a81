/** Events of rulesets. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { OneOf, Type } from '#core/schema.ts'

export const rulesetChanged = event(
  'ruleset.changed',
  Type.Object({
    ruleset: Type.String(),
    name: Type.String(),
    level: OneOf(['workspace', 'repository']),
    action: OneOf(['created', 'updated', 'deleted']),
    enforcement: Type.String(),
  }),
  ({ name, action }, by) => `${by} ${action} the ruleset ${name}`,
)

export const events = [rulesetChanged]
