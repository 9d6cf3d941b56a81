/** What calls cost: counted while an answer comes, and written once it has ended. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { findAgent } from '#features/agents/index.ts'
import { addServiceEntry, costIncurred, findPullById } from '#features/pulls/index.ts'
import { costOf, hasPrice, tokensOf, toUsd } from './money.ts'
import type { Payer } from './payer.ts'
import { addCostOfTask, insertCall } from './store-calls.ts'
import { addOutsideCost } from './store-gateway.ts'
import type { Target } from './targets.ts'
import type { ModelEvent, Usage } from './wires/events.ts'

/** No model answers with more; a provider that says so is not believed. */
const MAX_COUNTED_TOKENS = 1_000_000_000

const countOf = (value: unknown, before: number | null): number | null =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(MAX_COUNTED_TOKENS, Math.max(0, Math.round(value)))
    : before

/** What an answer has cost, counted from its text where the provider reports nothing. */
export class Meter {
  #input: number | null = null
  #cached = 0
  #output: number | null = null
  #bytes = 0

  add(event: ModelEvent): void {
    if (event.kind === 'usage') {
      this.#input = countOf(event.usage.input, this.#input)
      this.#cached = countOf(event.usage.cached, this.#cached) ?? 0
      this.#output = countOf(event.usage.output, this.#output)
    } else if (event.kind !== 'end' && event.kind !== 'call')
      this.#bytes += Buffer.byteLength(event.text)
  }

  /** `isWhole` is false when the answer broke off, because usage comes at its end. */
  total(estimatedInput: number, isWhole: boolean): { usage: Usage; estimated: boolean } {
    const counted = tokensOf(this.#bytes)
    const output = isWhole ? (this.#output ?? counted) : Math.max(this.#output ?? 0, counted)
    return {
      usage: { input: this.#input ?? estimatedInput, cached: this.#cached, output },
      estimated: this.#input === null || this.#output === null || !isWhole,
    }
  }
}

/** The share of its budget at which people hear that an agent will stop soon. */
const WARNED_SHARE = 0.8

/** Says once in the session that an agent has used most of its budget. The cost is not added yet. */
function warnBeforeCap(
  tx: Tx,
  pull_id: string,
  agent: ReturnType<typeof findAgent>,
  cost_usd: number,
): void {
  if (agent?.max_usd == null) return
  const mark = agent.max_usd * WARNED_SHARE
  if (agent.cost_usd >= mark || agent.cost_usd + cost_usd < mark) return
  const spent = `$${(agent.cost_usd + cost_usd).toFixed(2)} of $${agent.max_usd.toFixed(2)}`
  addServiceEntry(tx, pull_id, {
    kind: 'message',
    text: `The agent has used ${spent}. It is stopped when the rest is used.`,
    data: { role: 'system' },
  })
}

export type Bill = {
  readonly payer: Payer
  readonly target: Target
  readonly usage: Usage
  readonly estimated: boolean
  readonly status: number
  readonly ms: number
}

/** Writes the call, the usage entry of its session and the cost, in one transaction. */
export async function settle(hearth: Hearth, bill: Bill): Promise<number> {
  const { payer, target, usage } = bill
  const cost = costOf(target.model, usage)
  await writeAs(hearth, null, (tx) => {
    insertCall(tx, {
      workspace_id: payer.workspace_id,
      pull_id: payer.pull_id,
      actor_id: payer.actor_id,
      task: payer.task,
      integration_id: target.integration.id,
      model: target.model.id,
      input_tokens: usage.input,
      cached_tokens: usage.cached,
      output_tokens: usage.output,
      cost,
      estimated: bill.estimated ? 1 : 0,
      priced: hasPrice(target.model) ? 1 : 0,
      status: bill.status,
      ms: bill.ms,
    })
    const agent = findAgent(tx.db, payer.actor_id)
    if (agent) addCostOfTask(tx, agent.id, payer.task, cost)
    payer.billed?.(tx, cost)
    if (payer.outside) addOutsideCost(tx, payer.workspace_id, cost)
    const pull = payer.pull_id === null ? null : findPullById(tx.db, payer.pull_id)
    const cost_usd = toUsd(cost)
    if (pull) {
      const data = {
        model: target.model.id,
        input_tokens: usage.input,
        cached_tokens: usage.cached,
        output_tokens: usage.output,
        cost_usd,
        ...(bill.estimated ? { estimated: true } : {}),
      }
      addServiceEntry(tx, pull.id, { kind: 'usage', text: '', data }, cost_usd)
      warnBeforeCap(tx, pull.id, agent, cost_usd)
    }
    const repo_id = pull?.repo_id ?? agent?.repo_id
    if (repo_id !== undefined && cost > 0)
      tx.emit(costIncurred, {
        repo_id,
        pull_id: payer.pull_id,
        actor_id: payer.actor_id,
        cost_usd,
        isTrusted: true,
      })
  })
  return cost
}
