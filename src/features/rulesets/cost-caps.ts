/** Costs of agents as reported in sessions, and caps on them. Days and months are in UTC. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  costCapReached,
  findPullById,
  sessionCost,
  type CostAllowance,
  type PullRow,
} from '#features/pulls/index.ts'
import { branchRef, repoById, type RepoRow } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import type { RuleParameters } from './rule-parameters.ts'
import { rulesetsOf, rulesFor } from './applicable-rules.ts'
import { matchesRepository } from './conditions.ts'
import type { RulesetRow } from './store.ts'
import {
  addCost,
  costSince,
  listCostsOfWorkspace,
  listPullBases,
  listRepoIds,
} from './store-evaluations.ts'

type Cap = RuleParameters['cost_cap']

const usd = (amount: number): string => `$${amount.toFixed(2)}`

/**
 * Adds reported costs to the day on which they were reported. Once a cap is reached it stops the
 * agents of the pull request; the cap of a day or a month stops all agents that it names.
 */
export const followCosts = handler(
  'rules count costs',
  sessionCost,
  (tx, { pull_id, actor_id, cost_usd }) => {
    const pull = findPullById(tx.db, pull_id)
    const repo = pull && repoById(tx.db, pull.repo_id)
    if (!pull || !repo) return
    addCost(tx, pull.repo_id, tx.now.slice(0, 10), cost_usd)
    for (const { ruleset, per, why } of reachedCaps(tx, pull, repo)) {
      const repos = per === 'pull' ? [] : namedRepos(tx, ruleset, repo)
      tx.emit(costCapReached, { pull_id, actor_id, why, repos })
    }
  },
)

/** The repositories where a ruleset applies, and the branches with pull requests that it names. */
function namedRepos(
  { db }: Tx,
  ruleset: RulesetRow,
  repo: RepoRow,
): { id: string; bases: string[] }[] {
  const ids = ruleset.workspace_id === null ? [repo.id] : listRepoIds(db, ruleset.workspace_id)
  return ids.flatMap((id) => {
    const row = repoById(db, id)
    if (!row || !appliesTo(ruleset, row)) return []
    const bases = listPullBases(db, id).filter(
      (base) => rulesFor([ruleset], row, branchRef(base)).length > 0,
    )
    return [{ id, bases }]
  })
}

const appliesTo = ({ conditions }: RulesetRow, { name, private: hidden, topics }: RepoRow) =>
  matchesRepository(conditions.repository, {
    name,
    private: hidden === 1,
    topics: JSON.parse(topics) as string[],
  })

type ReachedCap = {
  readonly ruleset: RulesetRow
  readonly per: Cap['per']
  readonly why: string
}

/** The active caps that the costs of a pull request have reached. */
function* reachedCaps({ hearth }: Tx, pull: PullRow, repo: RepoRow): Generator<ReachedCap> {
  for (const { ruleset, rule } of rulesFor(
    rulesetsOf(hearth, repo),
    repo,
    branchRef(pull.base_ref),
  )) {
    if (rule.type !== 'cost_cap' || ruleset.enforcement !== 'active') continue
    const { max_usd, per } = rule.parameters
    const why =
      per === 'pull'
        ? (pull.session_cost ?? 0) >= max_usd
          ? pullCostText(rule.parameters, pull)
          : null
        : costProblem(hearth, ruleset, rule.parameters, repo)
    if (why !== null) yield { ruleset, per, why: `${why} by the rule cost_cap of ${ruleset.name}` }
  }
}

type PullCost = Pick<PullRow, 'number' | 'session_cost'>

const pullCostText = (
  { max_usd }: Pick<Cap, 'max_usd'>,
  { number, session_cost }: PullCost,
): string =>
  `#${number} has cost ${usd(session_cost ?? 0)}; ${usd(max_usd)} are allowed for a pull request`

/** What is wrong when a pull request exceeds its own cap; null when it does not. */
export const pullCostProblem = (
  { max_usd }: Cap,
  { number, session_cost }: PullCost,
): string | null =>
  (session_cost ?? 0) > max_usd ? pullCostText({ max_usd }, { number, session_cost }) : null

/** What agents have cost this day or month where a ruleset applies. */
function spentOf(
  { db, clock }: Pick<Hearth, 'db' | 'clock'>,
  ruleset: RulesetRow,
  per: Cap['per'],
  repo: RepoRow,
): number {
  const today = timestamp(clock.now()).slice(0, 10)
  const since = per === 'month' ? `${today.slice(0, 7)}-01` : today
  if (ruleset.workspace_id === null) return costSince(db, repo.id, since)
  return listCostsOfWorkspace(db, ruleset.workspace_id, since)
    .filter(({ repo_id }) => {
      const row = repoById(db, repo_id)
      return row !== null && appliesTo(ruleset, row)
    })
    .reduce((sum, { cost }) => sum + cost, 0)
}

/** The extension of `costAllowances`: the active caps on a pull request. */
export function costAllowancesOf(hearth: Hearth, pull: PullRow): CostAllowance[] {
  const repo = repoById(hearth.db, pull.repo_id)
  if (!repo) return []
  return [...rulesFor(rulesetsOf(hearth, repo), repo, branchRef(pull.base_ref))].flatMap(
    ({ ruleset, rule }) => {
      if (rule.type !== 'cost_cap' || ruleset.enforcement !== 'active') return []
      const { max_usd, per } = rule.parameters
      const isPull = per === 'pull'
      return [
        {
          key: isPull ? `${ruleset.id} ${pull.id}` : ruleset.id,
          max_usd,
          spent_usd: isPull ? (pull.session_cost ?? 0) : spentOf(hearth, ruleset, per, repo),
          what: `${usd(max_usd)} for each ${per === 'pull' ? 'pull request' : per} by the rule cost_cap of ${ruleset.name}`,
        },
      ]
    },
  )
}

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
  const spent = spentOf({ db, clock }, ruleset, per, repo)
  if (spent < max_usd) return null
  return `agents have cost ${usd(spent)} ${per === 'month' ? 'this month' : 'today'}; ${usd(max_usd)} are allowed`
}
