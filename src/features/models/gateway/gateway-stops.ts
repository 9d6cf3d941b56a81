/** What the gateway does to an agent that has reached a cap, or goes round in a circle. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { findAgent, stopAgentAtCost } from '#features/agents/index.ts'
import { addServiceEntry } from '#features/pulls/index.ts'
import { forbidden, type Refusal } from '#lib/errors.ts'
import { modelLoop } from '../events.ts'
import { describeReachedCap } from '../ledger.ts'
import type { Payer } from '../payer.ts'

type Agent = Pick<Payer, 'actor_id' | 'pull_id'>

/** Ends the work of an agent that has reached a cap of its own, of its pull request or of rules. */
export async function stopAtCap(
  hearth: Hearth,
  { actor_id, pull_id }: Agent,
  refusal: Refusal,
): Promise<void> {
  if (refusal.reason !== 'cost_cap' || findAgent(hearth.db, actor_id) === null) return
  await writeAs(hearth, null, (tx) =>
    stopAgentAtCost(tx, actor_id, pull_id, describeReachedCap(refusal)),
  )
}

const LOOP = 'the same calls have had the same results four times; do something else, or stop'

/** Says in the session that an agent goes round in a circle. Returns what it is told. */
export async function refuseLoop(hearth: Hearth, { actor_id, pull_id }: Agent): Promise<Refusal> {
  if (pull_id !== null)
    await writeAs(hearth, null, (tx) => {
      const text = `The agent was refused another call of its model: ${LOOP}.`
      addServiceEntry(tx, pull_id, { kind: 'error', text, data: { code: 'loop' } })
      tx.emit(modelLoop, { actor_id, pull_id })
    })
  return forbidden('loop', LOOP)
}
