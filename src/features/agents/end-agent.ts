/**
 * Ends agents. The token is removed in the same transaction, so the agent's next request is
 * refused.
 */
import { actorId } from '#core/caller.ts'
import { handler, reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, endToken, tokenEnded } from '#features/accounts/index.ts'
import {
  addServiceEntry,
  costCapReached,
  costIncurred,
  findPull,
  findPullById,
  pullClosed,
  pullMerged,
  type PullRow,
} from '#features/pulls/index.ts'
import { repoArchived, repoById, repoDeleted } from '#features/repos/index.ts'
import {
  addCost,
  findAgent,
  findAgentOfToken,
  listRunningAgents,
  setAgentEnded,
  setLastSeen,
  type AgentRow,
} from './store.ts'

export type AgentEnd = {
  readonly as: 'stopped' | 'finished'
  readonly reason: string | null /** The caller unless given; null is the service. */
  readonly by?: string | null
}

/** Ends a running agent. Does nothing for one that has ended. */
export function endAgent(
  tx: Tx,
  agent: AgentRow,
  { as, reason, by = tx.caller && actorId(tx.caller) }: AgentEnd,
): void {
  if (agent.ended_at !== null) return
  setAgentEnded(tx, agent.id, { as, by, reason })
  tx.audit({
    action: as === 'stopped' ? 'agent.stopped' : 'agent.finished',
    target: { kind: 'agent', id: agent.id, name: agent.name },
    workspace_id: repoById(tx.db, agent.repo_id)?.workspace_id ?? null,
    repo_id: agent.repo_id,
    data: { reason },
  })
  endToken(tx, agent.token_id, { reason })
}

/** Stops an agent when its token is revoked elsewhere. */
export const endAgentsWithTokens = handler(
  'agents end with their tokens',
  tokenEnded,
  (tx, { id, kind, last_used_at, reason }) => {
    const agent = kind === 'agent' ? findAgentOfToken(tx.db, id) : null
    if (!agent) return
    setLastSeen(tx, agent.id, last_used_at)
    if (agent.ended_at === null && agent.expires_at > tx.now)
      setAgentEnded(tx, agent.id, { as: 'stopped', by: tx.caller && actorId(tx.caller), reason })
  },
)

const dollars = (amount: number): string => `$${amount.toFixed(2)}`

/** Adds what an agent costs, and stops it at its limit. */
export const stopAgentsAtCostLimit = handler(
  'agents stop at their limit',
  costIncurred,
  (tx, { pull_id, actor_id, cost_usd }) => {
    if (!findAgent(tx.db, actor_id)) return
    addCost(tx, actor_id, cost_usd)
    const agent = findAgent(tx.db, actor_id)
    if (
      !agent ||
      agent.ended_at !== null ||
      agent.max_usd === null ||
      agent.cost_usd < agent.max_usd
    )
      return
    stopAtCost(
      tx,
      agent,
      pull_id,
      `it has cost ${dollars(agent.cost_usd)}, and its limit is ${dollars(agent.max_usd)}`,
    )
  },
)

function stopAtCost(tx: Tx, agent: AgentRow, pull_id: string | null, why: string): void {
  const text = `${actorOf(tx.hearth, agent.id).username} was stopped: ${why}.`
  if (pull_id !== null)
    addServiceEntry(tx, pull_id, { kind: 'error', text, data: { code: 'cost_cap' } })
  endAgent(tx, agent, { as: 'stopped', reason: 'cost_cap', by: null })
}

/** Stops an agent before a call that its limits do not pay for. */
export function stopAgentAtCost(
  tx: Tx,
  agent_id: string,
  pull_id: string | null,
  why: string,
): void {
  const agent = findAgent(tx.db, agent_id)
  if (agent && agent.ended_at === null) stopAtCost(tx, agent, pull_id, why)
}

/**
 * Stops the agents at a cap: the one that had the cost, those that were started for its pull
 * request, and all others that the cap names.
 */
export const stopAgentsAtCap = handler(
  'agents stop at caps of rules',
  costCapReached,
  (tx, { pull_id, actor_id, why, repos }) => {
    const pull = pull_id === null ? null : findPullById(tx.db, pull_id)
    const reporting = findAgent(tx.db, actor_id)
    const started = pull === null ? [] : listRunningAgents(tx.db, pull.repo_id, tx.now, pull.number)
    for (const agent of [
      ...(reporting === null ? [] : [reporting]),
      ...started.filter(({ id }) => id !== actor_id),
    ])
      if (agent.ended_at === null) stopAtCost(tx, agent, pull_id, why)
    for (const repo of repos) stopNamedAgents(tx, repo, pull, why)
  },
)

/** Stops the agents of a repository that work on pull requests into these branches, or on none. */
function stopNamedAgents(
  tx: Tx,
  { id, bases }: { id: string; bases: readonly string[] },
  reporting: PullRow | null,
  why: string,
): void {
  for (const agent of listRunningAgents(tx.db, id, tx.now)) {
    const own = agent.pull_number === null ? null : findPull(tx.db, id, agent.pull_number)
    if (own !== null && !bases.includes(own.base_ref)) continue
    // Readers of the reporting pull request learn nothing of agents in other repositories.
    const told = own ?? (id === reporting?.repo_id ? reporting : null)
    stopAtCost(tx, agent, told?.id ?? null, why)
  }
}

const finishAgents =
  (why: string) =>
  (tx: Tx, { repo_id, data }: { repo_id: string | null; data: { number: number } }) => {
    if (repo_id === null) return
    for (const agent of listRunningAgents(tx.db, repo_id, tx.now, data.number))
      endAgent(tx, agent, { as: 'finished', reason: why })
  }

const stopAgents =
  (why: string) =>
  (tx: Tx, { repo_id }: { repo_id: string | null }) => {
    if (repo_id === null) return
    for (const agent of listRunningAgents(tx.db, repo_id, tx.now))
      endAgent(tx, agent, { as: 'stopped', reason: why })
  }

export const agentEndReactions = [
  reaction(
    'agents finish with a closed pull request',
    pullClosed,
    finishAgents('its pull request was closed'),
  ),
  reaction(
    'agents finish with a merged pull request',
    pullMerged,
    finishAgents('its pull request was merged'),
  ),
  reaction(
    'agents stop in an archived repository',
    repoArchived,
    stopAgents('the repository was archived'),
  ),
  reaction(
    'agents stop in a deleted repository',
    repoDeleted,
    stopAgents('the repository was deleted'),
  ),
]
