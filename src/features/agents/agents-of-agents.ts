/** Which agents may start others. */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { forbidden } from '#lib/errors.ts'
import { builtInStates } from './extension-points.ts'
import { findAgent } from './store.ts'

/** Whether an agent works inside this process, so that the workspace pays for its models. */
export const isBuiltIn = (hearth: Hearth, db: Db, agent_id: string): boolean =>
  builtInStates.all(hearth).some((stateOf) => stateOf(db, agent_id) !== null)

/**
 * Throws 403 for an agent that has a budget, and for one that the forge runs: what agents of its own
 * cost would pass its budget by, and a text that it obeys could start any number of them.
 */
export function requireMayStartAgents(hearth: Hearth, db: Db, caller: SignedIn): void {
  if (caller.kind !== 'agent') return
  if (findAgent(db, caller.id)?.max_usd === null && !isBuiltIn(hearth, db, caller.id)) return
  throw forbidden(
    'person_required',
    'an agent with a budget, or one that the forge runs, starts no other agents; ask a person to assign the issue',
  )
}
