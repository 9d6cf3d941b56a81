/** Costs of agents as reported in sessions, and caps on them. Days and months are in UTC. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { findPullById, sessionCost, type PullRow } from '#features/pulls/index.ts'
import { repoById, type RepoRow } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import type { RuleParameters } from './rule-parameters.ts'
import { matchesRepository } from './conditions.ts'
import type { RulesetRow } from './store.ts'
import { addCost, costSince, listCostsOfWorkspace } from './store-evaluations.ts'

type Cap = RuleParameters['cost_cap']

const usd = (amount: number): string => `$${amount.toFixed(2)}`

/** Adds reported costs to the day on which they were reported. */
export const followCosts = handler(
  'rules count costs',
  sessionCost,
  (tx, { pull_id, cost_usd }) => {
    const pull = findPullById(tx.db, pull_id)
    if (pull && repoById(tx.db, pull.repo_id))
      addCost(tx, pull.repo_id, tx.now.slice(0, 10), cost_usd)
  },
)

/** What is wrong when a pull request exceeds its own cap; null when it does not. */
export const pullCostProblem = (
  { max_usd }: Cap,
  { number, session_cost }: Pick<PullRow, 'number' | 'session_cost'>,
): string | null =>
  (session_cost ?? 0) > max_usd
    ? `#${number} has cost ${usd(session_cost ?? 0)}; ${usd(max_usd)} are allowed for a pull request`
    : null

/**
 * What is wrong when the cap of this day or month is exceeded, for a repository or for all
 * repositories of a workspace's ruleset.
 */
export function costProblem(
  { db, clock }: Pick<Hearth, 'db' | 'clock'>,
  ruleset: RulesetRow,
  { max_usd, per }: Cap,
  repo: RepoRow,
): string | null {
  const today = timestamp(clock.now()).slice(0, 10)
  const since = per === 'month' ? `${today.slice(0, 7)}-01` : today
  const spent =
    ruleset.workspace_id === null
      ? costSince(db, repo.id, since)
      : listCostsOfWorkspace(db, ruleset.workspace_id, since)
          .filter(({ repo_id }) => {
            const row = repoById(db, repo_id)
            return (
              row !== null &&
              matchesRepository(ruleset.conditions.repository, {
                name: row.name,
                private: row.private === 1,
                topics: JSON.parse(row.topics),
              })
            )
          })
          .reduce((sum, { cost }) => sum + cost, 0)
  if (spent < max_usd) return null
  return `agents have cost ${usd(spent)} ${per === 'month' ? 'this month' : 'today'}; ${usd(max_usd)} are allowed`
}
