/** Events about agents. Names and data are part of the public interface. */
import { event } from '#core/events.ts'
import { Id, Nullable, Type } from '#core/schema.ts'

/**
 * `number` is the pull request that gets the question, `from_pull` the one that the sender works
 * on.
 */
export const agentAsked = event(
  'agent.asked',
  Type.Object({ number: Type.Integer(), question: Id('qst'), from_pull: Nullable(Type.Integer()) }),
  ({ number, from_pull }, by) =>
    `${by} asked pull request #${number}${from_pull === null ? '' : ` for #${from_pull}`}`,
)
