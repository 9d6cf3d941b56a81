/** Costs of agents, counted by the forge or reported in sessions, and caps on them, by days of UTC. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import {
  costCapReached,
  costIncurred,
  findPullById,
  type CostAllowance,
  type CostlyWork,
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
 * Adds costs to their day. Once a cap is reached it stops the agents of the pull request; the cap of
 * a day or a month stops all agents that it names. A stranger may report any cost on a pull request
 * of their own, so what they report counts there alone.
 */
export const followCosts = handler(
  'rules count costs',
  costIncurred,
  (tx, { repo_id, pull_id, actor_id, cost_usd, isTrusted }) => {
    const pull = pull_id === null ? null : findPullById(tx.db, pull_id)
    if (isTrusted) addCost(tx, repo_id, tx.now.slice(0, 10), cost_usd)
    for (const { ruleset, per, why, repo } of reachedCaps(tx, { repo_id, pull })) {
      if (per !== 'pull' && !isTrusted) continue
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

type ActiveCap = {
  readonly ruleset: RulesetRow
  readonly cap: Cap
  readonly repo: RepoRow
}

/**
 * The active caps on work: those of the base of its pull request. An agent without one is held to
 * the caps of a day and a month of the default branch.
 */
function activeCaps(hearth: Hearth, { repo_id, pull }: CostlyWork): ActiveCap[] {
  const repo = repoById(hearth.db, repo_id)
  if (!repo) return []
  const ref = branchRef(pull?.base_ref ?? repo.default_branch)
  return rulesFor(rulesetsOf(hearth, repo), repo, ref).flatMap(({ ruleset, rule }) =>
    rule.type === 'cost_cap' &&
    ruleset.enforcement === 'active' &&
    (pull !== null || rule.parameters.per !== 'pull')
      ? [{ ruleset, cap: rule.parameters, repo }]
      : [],
  )
}

type ReachedCap = {
  readonly ruleset: RulesetRow
  readonly per: Cap['per']
  readonly why: string
  readonly repo: RepoRow
}

function* reachedCaps({ hearth }: Tx, work: CostlyWork): Generator<ReachedCap> {
  const { pull } = work
  for (const { ruleset, cap, repo } of activeCaps(hearth, work)) {
    const { max_usd, per } = cap
    const ofPull = per === 'pull' ? pull : null
    const isOver = ofPull !== null && (ofPull.session_cost ?? 0) >= max_usd
    const why = ofPull
      ? isOver && pullCostText(cap, ofPull)
      : costProblem(hearth, ruleset, cap, repo)
    if (why) yield { ruleset, per, why: `${why} by the rule cost_cap of ${ruleset.name}`, repo }
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

/** The extension of `costAllowances`: the active caps on work. */
export const costAllowancesOf = (hearth: Hearth, work: CostlyWork): CostAllowance[] =>
  activeCaps(hearth, work).map(({ ruleset, cap, repo }) => {
    const { max_usd, per } = cap
    const pull = per === 'pull' ? work.pull : null
    return {
      key: pull ? `${ruleset.id} ${pull.id}` : ruleset.id,
      max_usd,
      spent_usd: pull ? (pull.session_cost ?? 0) : spentOf(hearth, ruleset, per, repo),
      what: `${usd(max_usd)} for each ${per === 'pull' ? 'pull request' : per} by the rule cost_cap of ${ruleset.name}`,
    }
  })

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
