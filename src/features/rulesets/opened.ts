/**
 * What rules say when a pull request is opened or its head is pushed, inside the transaction of
 * that.
 */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { findPull, pullOpened, pullUpdated, type PullRow } from '#features/pulls/index.ts'
import { branchRef, requireRepo } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { costProblem } from './costs.ts'
import { noteVerdicts } from './evaluations.ts'
import { refreshFindings } from './findings.ts'
import { passer, rulesetUrl, stands, type InForce, type Verdict } from './in-force.ts'
import { isAgentWork, rulesForMerge } from './merge-rules.ts'
import { countOpen, setPusher } from './store-evaluations.ts'

/** Refuses what is one too many, and agents' work past what it may cost. */
export const watchOpened = reaction(
  'rules watch what is opened',
  pullOpened,
  (tx, { repo_id, actor_id, data }) => {
    const pull = repo_id === null ? null : findPull(tx.db, repo_id, data.number)
    if (!pull) return
    notePusher(tx, pull, actor_id)
    if (pull.head_sha !== null) tx.enqueue(refreshFindings, { pull_id: pull.id }, { key: pull.id })
    const repo = requireRepo(tx.db, pull.repo_id)
    const caller = tx.caller === null || tx.caller.kind === 'anonymous' ? null : tx.caller
    const passes = passer(tx.hearth, repo, caller, 'move')
    const verdicts = rulesForMerge(tx.hearth, repo, pull, caller).flatMap((one): Verdict[] => {
      const problem = problemOf(tx, pull, one)
      return problem === undefined
        ? []
        : [{ one, problem, passed: problem !== null && passes(one.ruleset) }]
    })
    const refused = verdicts.find(stands)
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
    noteVerdicts(
      tx,
      {
        repo_id: pull.repo_id,
        ref: branchRef(pull.base_ref),
        sha: pull.head_sha,
        pull_number: pull.number,
        actor_id,
      },
      verdicts,
    )
  },
)

function problemOf(tx: Tx, pull: PullRow, { ruleset, rule }: InForce): string | null | undefined {
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

/** Whoever pushed last cannot approve that push by a rule that asks for somebody else. */
export const watchPushed = reaction(
  'rules note who pushed',
  pullUpdated,
  (tx, { repo_id, actor_id, data }) => {
    const pull =
      repo_id === null || !data.changed.includes('head')
        ? null
        : findPull(tx.db, repo_id, data.number)
    if (pull) notePusher(tx, pull, actor_id)
  },
)

function notePusher(tx: Tx, pull: PullRow, actor_id: string | null): void {
  // What the service itself brings in (the base, merged in) was pushed by nobody: the one before
  // keeps it.
  if (pull.head_sha !== null) setPusher(tx, pull.id, pull.head_sha, actor_id)
}
