/**
 * Rules that apply when a pull request is opened or its head is pushed, in the same transaction.
 */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findPull, pullOpened, pullUpdated, type PullRow } from '#features/pulls/index.ts'
import { branchRef, requireRepo } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { costProblem } from './cost-caps.ts'
import { recordEvaluations } from './evaluations.ts'
import { refreshFindings } from './findings.ts'
import {
  bypassCheck,
  rulesetUrl,
  isBlocking,
  type ApplicableRule,
  type RuleResult,
} from './applicable-rules.ts'
import { isAgentWork, rulesForMerge } from './merge-rules.ts'
import { countOpen, setPusher } from './store-evaluations.ts'

/** Refuses a pull request above the maximum, and work of agents above its cost cap. */
export const watchOpened = reaction(
  'rules watch what is opened',
  pullOpened,
  (tx, { repo_id, actor_id, data }) => {
    const pull = repo_id === null ? null : findPull(tx.db, repo_id, data.number)
    if (!pull) return
    recordPusher(tx, pull, actor_id)
    if (pull.head_sha !== null) tx.enqueue(refreshFindings, { pull_id: pull.id }, { key: pull.id })
    const repo = requireRepo(tx.db, pull.repo_id)
    const caller = tx.caller === null || tx.caller.kind === 'anonymous' ? null : tx.caller
    const passes = bypassCheck(tx.hearth, repo, caller, 'move')
    const results = rulesForMerge(tx.hearth, repo, pull, caller).flatMap((one): RuleResult[] => {
      const problem = problemOf(tx, pull, one)
      return problem === undefined
        ? []
        : [{ one, problem, passed: problem !== null && passes(one.ruleset) }]
    })
    const refused = results.find(isBlocking)
    if (refused) {
      const { ruleset, rule } = refused.one
      throw conflict(
        rule.type === 'max_open_pulls' ? 'limit_reached' : 'rule',
        `rule ${rule.type}: ${refused.problem}`,
        {
          ruleset: ruleset.id,
          ruleset_name: ruleset.name,
          type: rule.type,
          message: refused.problem,
          url: rulesetUrl(tx.hearth, ruleset),
        },
      )
    }
    recordEvaluations(
      tx,
      {
        repo_id: pull.repo_id,
        ref: branchRef(pull.base_ref),
        sha: pull.head_sha,
        pull_number: pull.number,
        actor_id,
      },
      results,
    )
  },
)

function problemOf(
  tx: Tx,
  pull: PullRow,
  { ruleset, rule }: ApplicableRule,
): string | null | undefined {
  if (rule.type === 'cost_cap')
    return rule.parameters.per === 'pull' || !isAgentWork(pull)
      ? undefined
      : costProblem(tx.hearth, ruleset, rule.parameters, requireRepo(tx.db, pull.repo_id))
  if (rule.type !== 'max_open_pulls') return undefined
  const { count, per } = rule.parameters
  const who =
    per === 'author'
      ? pull.author_id
      : (actorOf(tx.hearth, pull.author_id).on_behalf_of?.id ?? pull.author_id)
  const open = countOpen(tx.db, pull.repo_id, who, { agents: per === 'owner' })
  if (open <= count) return null
  return `${count === 1 ? 'one pull request' : `${count} pull requests`} of ${per === 'author' ? 'one author' : 'one person and their agents'} may be open at once; finish one first`
}

/** Records who pushed the head, because a rule may require an approval by somebody else. */
export const watchPushed = reaction(
  'rules note who pushed',
  pullUpdated,
  (tx, { repo_id, actor_id, data }) => {
    const pull =
      repo_id === null || !data.changed.includes('head')
        ? null
        : findPull(tx.db, repo_id, data.number)
    if (pull) recordPusher(tx, pull, actor_id)
  },
)

function recordPusher(tx: Tx, pull: PullRow, actor_id: string | null): void {
  // A merge of the base by the service has no pusher, so the previous one stays.
  if (pull.head_sha !== null) setPusher(tx, pull.id, pull.head_sha, actor_id)
}
