/** Whom a call of a model is for, and the caps that it must keep. */
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { findAgent } from '#features/agents/index.ts'
import { costAllowances, findPull, findPullById } from '#features/pulls/index.ts'
import { capOf, type Cap } from './ledger.ts'
import { toUsd } from './money.ts'
import type { ModelTask } from './schema.ts'
import { costOfTask } from './store-calls.ts'
import { findGateway, outsideSpent } from './store-gateway.ts'
import type { RouteRow } from './store-routes.ts'

/** Whom a call is for. The bill goes to the pull request when there is one. */
export type Payer = {
  readonly workspace_id: string
  readonly task: ModelTask
  /** An agent, a person or the workspace. */
  readonly actor_id: string
  readonly pull_id: string | null
  /** Whether a program outside of the forge asks, with a token that somebody gave it. */
  readonly outside?: boolean
  /** What is written with the bill, in its transaction; millionths of a dollar. */
  readonly billed?: (tx: Tx, cost: number) => void
}

/** The pull request that an agent works on, to which its calls are billed; null without one. */
export const pullIdOfAgent = (
  db: Db,
  { repo_id, pull_number }: { readonly repo_id: string; readonly pull_number: number | null },
): string | null => (pull_number === null ? null : (findPull(db, repo_id, pull_number)?.id ?? null))

/** The budget of a day for programs outside. */
function outsideCap({ db, clock }: Hearth, payer: Payer): Cap[] {
  const gateway = payer.outside ? findGateway(db, payer.workspace_id) : null
  if (gateway?.max_usd_per_day == null) return []
  const cap = capOf(
    `outside ${payer.workspace_id}`,
    gateway.max_usd_per_day,
    toUsd(outsideSpent(gateway, clock.now())),
    `the budget of $${gateway.max_usd_per_day.toFixed(2)} a day for programs outside`,
  )
  return [{ ...cap, reason: 'quota' }]
}

export function capsOf(hearth: Hearth, payer: Payer, route: RouteRow): Cap[] {
  const { db } = hearth
  const caps = outsideCap(hearth, payer)
  const agent = findAgent(db, payer.actor_id)
  if (agent?.max_usd != null)
    caps.push(
      capOf(
        payer.actor_id,
        agent.max_usd,
        agent.cost_usd,
        `the budget of $${agent.max_usd.toFixed(2)} of this agent (max_usd)`,
      ),
    )
  if (route.max_usd !== null)
    caps.push(
      capOf(
        `${payer.actor_id} ${payer.task}`,
        route.max_usd,
        agent ? toUsd(costOfTask(db, payer.actor_id, payer.task)) : 0,
        `the budget of $${route.max_usd.toFixed(2)} of the model for ${payer.task} (max_usd)`,
      ),
    )
  const pull = payer.pull_id === null ? null : findPullById(db, payer.pull_id)
  const repo_id = pull?.repo_id ?? agent?.repo_id
  if (repo_id !== undefined)
    for (const allowances of costAllowances.all(hearth))
      for (const { key, max_usd, spent_usd, what } of allowances(hearth, { repo_id, pull }))
        caps.push(capOf(key, max_usd, spent_usd, what))
  return caps
}
