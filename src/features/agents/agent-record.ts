/**
 * Records of agents. An agent's state is not stored. It is derived from the use of its token and
 * from its session entries.
 */
import type { Hearth } from '#core/hearth.ts'
import { actorOf, findToken } from '#features/accounts/index.ts'
import { fullName } from '#features/repos/index.ts'
import { MINUTE } from '#lib/time.ts'
import { builtInStates, type BuiltInState } from './extension-points.ts'
import type { Agent } from './schema.ts'
import { isWaiting, type AgentRow } from './store.ts'

/** An agent that used its token within this time is `working`. */
const WORKING_WINDOW_MS = 5 * MINUTE

const builtInStateOf = (hearth: Hearth, { id }: AgentRow): BuiltInState | null => {
  for (const stateOf of builtInStates.all(hearth)) {
    const known = stateOf(hearth.db, id)
    if (known) return known
  }
  return null
}

export const agentStateOf = (hearth: Hearth, row: AgentRow): Agent['state'] =>
  stateWith(hearth, row, builtInStateOf(hearth, row))

function stateWith(hearth: Hearth, row: AgentRow, known: BuiltInState | null): Agent['state'] {
  const { db, clock } = hearth
  if (row.ended_as !== null) return row.ended_as
  const now = clock.now()
  if (Date.parse(row.expires_at) <= now) return 'finished'
  if (findToken(db, row.token_id) === null) return 'stopped'
  if (known) return known.state
  if (isWaiting(db, row)) return 'waiting'
  return row.last_seen_at !== null && Date.parse(row.last_seen_at) > now - WORKING_WINDOW_MS
    ? 'working'
    : 'idle'
}

export function agentRecord(hearth: Hearth, row: AgentRow): Agent {
  const known = row.ended_at === null ? builtInStateOf(hearth, row) : null
  return {
    id: row.id,
    name: row.name,
    repo: fullName(hearth.db, row.repo_id),
    pull: row.pull_number,
    owner: actorOf(hearth, row.owner_id),
    role: row.role,
    scopes: JSON.parse(row.scopes) as string[],
    state: stateWith(hearth, row, known),
    waiting_for: known?.waiting_for || null,
    queued_before: known?.queued_before ?? null,
    state_since: known?.state_since ?? null,
    asked: known?.asked || false,
    model: row.model,
    max_usd: row.max_usd,
    cost_usd: row.cost_usd,
    started_at: row.started_at,
    last_seen_at: row.last_seen_at,
    expires_at: row.expires_at,
    stopped:
      row.ended_as === 'stopped' && row.ended_at !== null
        ? { by: actorOf(hearth, row.ended_by), at: row.ended_at, reason: row.ended_reason }
        : null,
    token: { id: row.token_id, last_four: row.last_four },
  }
}
