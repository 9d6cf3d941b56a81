/** Extension points of agents for later features. */
import type { Db } from '#core/db.ts'
import { extensionPoint } from '#core/extension-points.ts'
import type { Agent } from './schema.ts'

/** What an agent does that runs in this process. */
export type BuiltInState = Pick<
  Agent,
  'state' | 'waiting_for' | 'asked' | 'queued_before' | 'state_since'
>

/** Null for agents that run elsewhere. */
export const builtInStates =
  extensionPoint<(db: Db, agent_id: string) => BuiltInState | null>('agents.built_in_states')
