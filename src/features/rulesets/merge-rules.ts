/**
 * Evaluates rules for merges. The same function serves records of pull requests, refusals of
 * merges, and stored evaluations. What needs git was computed before (`findings.ts`), so nothing
 * here waits.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { memo, readScope } from '#core/read-scope.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { actorOf, preloadActors } from '#features/accounts/index.ts'
import { countUnresolved, preloadUnresolved } from '#features/issues/index.ts'
import {
  countWritten,
  isActive,
  preloadWritten,
  type Blocker,
  type MergeEvaluation,
  type PullRow,
} from '#features/pulls/index.ts'
import { branchRef, type RepoRow } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import { isTypeId } from '#core/ids.ts'
import { isInTeam, teamPathOf } from './bypass.ts'
import { pullCostProblem } from './cost-caps.ts'
import { recordEvaluations } from './evaluations.ts'
import {
  bypassCheck,
  rulesetsOf,
  rulesetUrl,
  rulesFor,
  isBlocking,
  type ApplicableRule,
  type RuleOf,
  type RuleResult,
} from './applicable-rules.ts'
import { isPullInspected, keyOf } from './inspect-commits.ts'
import {
  findingsOf,
  findingsOfAll,
  findPusher,
  preloadHeadPushers,
  type Findings,
} from './store-evaluations.ts'
import { alertsProblem, preloadAlerts } from './security-alerts.ts'
import { openingAt } from './windows.ts'

/** Whether a pull request is by an agent, or says that an agent works on it. */
export const isAgentWork = (pull: Pick<PullRow, 'author_id' | 'agent'>): boolean =>
  isTypeId(pull.author_id, 'agt') || pull.agent !== null

/**
 * A violation, with details for clients. With `shown: false` the stricter settings have a blocker
 * for it already.
 */
export type Violation = {
  readonly message: string
  readonly code?: string
  readonly details?: Record<string, unknown>
  readonly shown?: boolean
}

type MergeRuleResult = RuleResult & { readonly found: Violation | null }

/** The rules that apply to a merge. */
export function rulesForMerge(
  hearth: Hearth,
  repo: RepoRow,
  pull: Pick<PullRow, 'base_ref' | 'author_id' | 'agent'>,
  by: SignedIn | null,
): readonly ApplicableRule[] {
  const agents = isAgentWork(pull) || by?.kind === 'agent'
  return memo(hearth.db, 'merge rules', `${repo.id} ${agents} ${pull.base_ref}`, () =>
    rulesFor(rulesetsOf(hearth, repo), repo, branchRef(pull.base_ref)).filter(
      ({ rule, ruleset }) =>
        ruleset.target === 'branch' && (rule.applies_to === 'everyone' || agents),
    ),
  )
}

function evaluateRules(
  hearth: Hearth,
  evaluation: MergeEvaluation,
  findings: Findings,
): MergeRuleResult[] {
  const { context, pull, by } = evaluation
  const rules = rulesForMerge(hearth, context.repo, pull, by)
  if (rules.length === 0) return []
  const passes = bypassCheck(hearth, context.repo, by, 'merge')
  return rules.flatMap((one) => {
    const found = problemOf(hearth, evaluation, one, findings)
    return found === undefined
      ? []
      : [
          {
            one,
            found,
            problem: found === null ? null : found.message,
            passed: found !== null && passes(one.ruleset),
          },
        ]
  })
}

/** The violation of one rule: null for none, undefined when the rule is not about merges. */
function problemOf(
  hearth: Hearth,
  evaluation: MergeEvaluation,
  { rule }: ApplicableRule,
  findings: Findings,
): Violation | null | undefined {
  const { pull } = evaluation
  const told = (message: string | null): Violation | null => (message === null ? null : { message })
  switch (rule.type) {
    case 'merge_window':
      return windowProblem(hearth, evaluation, rule.parameters)
    case 'cost_cap':
      return rule.parameters.per === 'pull' && isAgentWork(pull)
        ? told(pullCostProblem(rule.parameters, pull))
        : undefined
    case 'pull_request':
      return pullRequestProblem(hearth, evaluation, rule.parameters)
    case 'human_approval':
      return approvalProblem(hearth, evaluation, rule, findings)
    case 'required_checks':
      return checksProblem(evaluation, rule.parameters)
    case 'acceptance_checks': {
      const status = evaluation.checks?.status ?? 'none'
      return status === 'passed'
        ? null
        : {
            message: `its acceptance checks must pass; ${status === 'none' ? 'it has none' : `they are ${status}`}`,
          }
    }
    case 'session_required':
      return isAgentWork(pull) ? told(sessionProblem(hearth, pull, rule.parameters)) : undefined
    case 'security_alerts':
      return alertsProblem(hearth, evaluation, rule.parameters)
    case 'update':
      return { message: `${pull.base_ref} may not be moved` }
    case 'linear_history':
      return told(
        evaluation.context.settings.merge_methods.some((method) => method !== 'merge')
          ? null
          : 'the history here has no merges, and no other method of merging is allowed',
      )
    default:
      return isPullInspected(rule) ? told(findingOf(rule, findings)) : undefined
  }
}

/** A rule without its finding counts as violated, because its commits were not inspected yet. */
const NOT_INSPECTED = 'its commits are still being looked through'

const findingOf = (rule: ApplicableRule['rule'], findings: Findings): string | null => {
  const finding = findings.get(keyOf(rule))
  return finding === undefined ? NOT_INSPECTED : finding
}

function windowProblem(
  hearth: Hearth,
  { pull, by, context, labels: names }: MergeEvaluation,
  rule: RuleOf<'merge_window'>['parameters'],
): Violation | null {
  const { open, opens_at, freeze } = openingAt(rule, hearth.clock.now())
  if (open) return null
  const labels = new Set(names.map((label) => label.toLowerCase()))
  const excepted = rule.exceptions.some((one) =>
    isTypeId(one, 'team')
      ? by?.kind === 'user' && isInTeam(hearth.db, context.repo.workspace_id, one, by.id)
      : labels.has(one.toLowerCase()),
  )
  if (excepted) return null
  const at = opens_at === null ? null : timestamp(opens_at)
  const problem = freeze
    ? freeze.reason
      ? `merging into ${pull.base_ref} is frozen (${freeze.reason})`
      : `merging into ${pull.base_ref} is frozen`
    : `merging into ${pull.base_ref} is outside of its window`
  return {
    message: at === null ? problem : `${problem}; it opens at ${at}`,
    code: 'merge_window',
    details: { opens_at: at },
  }
}

const plural = (count: number, one: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${one}s`

function pullRequestProblem(
  hearth: Hearth,
  question: MergeEvaluation,
  rule: RuleOf<'pull_request'>['parameters'],
): Violation | null {
  const { pull, standings, context } = question
  const approvals = standings.filter(
    ({ review, counted, stale }) =>
      counted && review.verdict === 'approve' && !(rule.dismiss_stale && stale),
  )
  if (rule.require_last_push_approval) {
    const pusher = principalOf(hearth, findPusher(hearth.db, pull) ?? pull.author_id)
    const others = approvals.filter(
      ({ review, stale }) => !stale && principalOf(hearth, review.author_id) !== pusher,
    )
    if (others.length === 0)
      return { message: 'the last push must be approved by somebody else than who pushed it' }
  }
  if (approvals.length < rule.required_approvals)
    return {
      message: `it needs ${plural(rule.required_approvals, 'approval')} and has ${approvals.length}`,
      shown: false,
    }
  if (rule.require_conversation_resolution && unresolvedOf(hearth, question) > 0)
    return { message: 'conversations on lines must be resolved first', shown: false }
  return context.settings.merge_methods.length === 0
    ? { message: 'the rules together leave no method of merging' }
    : null
}

/**
 * The evaluation holds the count where the settings require it. A rule that is only evaluated does
 * not change the settings, so it counts here.
 */
const unresolvedOf = (
  { db }: Hearth,
  { pull, context, open_conversations }: MergeEvaluation,
): number =>
  context.settings.require_conversation_resolution
    ? open_conversations
    : countUnresolved(db, pull.repo_id, pull.number)

const principalOf = (hearth: Hearth, actor_id: string): string =>
  actorOf(hearth, actor_id).on_behalf_of?.id ?? actor_id

function approvalProblem(
  hearth: Hearth,
  { standings, context }: MergeEvaluation,
  rule: RuleOf<'human_approval'>,
  findings: Findings,
): Violation | null {
  const { count, paths, from } = rule.parameters
  const touched = paths.length === 0 ? '' : findings.get(keyOf(rule))
  if (touched === undefined) return { message: NOT_INSPECTED }
  if (touched === null) return null
  const people = standings.filter(
    ({ review, counted }) =>
      counted &&
      review.verdict === 'approve' &&
      isTypeId(review.author_id, 'usr') &&
      (from.length === 0 ||
        from.some((team) =>
          isInTeam(hearth.db, context.repo.workspace_id, team, review.author_id),
        )),
  )
  if (people.length >= count) return null
  const who =
    from.length === 0
      ? 'people'
      : `people of ${from.map((team) => teamPathOf(hearth.db, team)).join(' or ')}`
  const what = touched === '' ? '' : `, because it changes ${JSON.stringify(touched)}`
  return {
    message: `it needs ${plural(count, 'approval')} by ${who} and has ${people.length}${what}`,
    details: { required: count, counted: people.length },
  }
}

function checksProblem(
  { statuses }: MergeEvaluation,
  { contexts }: RuleOf<'required_checks'>['parameters'],
): Violation | null {
  const known = new Map(statuses.map(({ context, trusted }) => [context, trusted]))
  const open = contexts
    .map((context) => ({ context, state: known.get(context) ?? 'missing' }))
    .filter(({ state }) => state !== 'success')
  if (open.length === 0) return null
  return {
    message: `required checks: ${open
      .slice(0, 10)
      .map(({ context, state }) => `${context} is ${state}`)
      .join(', ')}`,
    code: 'statuses',
    details: { contexts: open },
  }
}

function sessionProblem(
  hearth: Hearth,
  pull: PullRow,
  { min_entries, kinds }: RuleOf<'session_required'>['parameters'],
): string | null {
  const written = countWritten(hearth.db, pull.id, kinds)
  return written >= min_entries
    ? null
    : `an agent's pull request needs a session with ${min_entries === 1 ? '1 entry' : `${min_entries} entries`}${kinds.length > 0 ? ` of the kinds ${kinds.join(', ')}` : ''}; it has ${written}`
}

/** The rules that block each of several merges in one repository, in the same order. */
export function mergeBlockers(
  hearth: Hearth,
  evaluations: readonly MergeEvaluation[],
): Blocker[][] {
  return readScope(hearth.db, () => {
    const active = evaluations
      .filter(({ pull }) => isActive(pull))
      .map((evaluation) => ({ evaluation, rules: rulesForEvaluation(hearth, evaluation) }))
      .filter(({ rules }) => rules.length > 0)
    if (active.length === 0) return evaluations.map(() => [])
    preloadForRules(hearth, active)
    const findings = findingsOfAll(
      hearth.db,
      active.map(({ evaluation }) => evaluation.pull),
    )
    return evaluations.map((evaluation) =>
      isActive(evaluation.pull)
        ? blockersBy(hearth, evaluation, findings.get(evaluation.pull.id) ?? new Map())
        : [],
    )
  })
}

const rulesForEvaluation = (
  hearth: Hearth,
  { pull, context, by }: MergeEvaluation,
): readonly ApplicableRule[] => rulesForMerge(hearth, context.repo, pull, by)

type RuledEvaluation = {
  readonly evaluation: MergeEvaluation
  readonly rules: readonly ApplicableRule[]
}

/** Reads what the rules need with one query of each kind, however many pull requests there are. */
function preloadForRules(hearth: Hearth, ruled: readonly RuledEvaluation[]): void {
  const { db } = hearth
  const pulls = ruled.map(({ evaluation }) => evaluation.pull)
  const rules = new Set(ruled.flatMap((one) => one.rules.map(({ rule }) => rule)))
  const pullRules = [...rules].filter((rule) => rule.type === 'pull_request')
  if (pullRules.some(({ parameters }) => parameters.require_last_push_approval)) {
    preloadHeadPushers(db, pulls)
    const pushers = pulls.map((pull) => findPusher(db, pull) ?? pull.author_id)
    preloadActors(db, [...new Set(pushers)])
  }
  const [first] = ruled
  if (first && pullRules.some(({ parameters }) => parameters.require_conversation_resolution))
    preloadUnresolved(
      db,
      first.evaluation.context.repo.id,
      pulls.map(({ number }) => number),
    )
  for (const rule of rules) {
    if (rule.type === 'session_required')
      preloadWritten(
        db,
        pulls.map(({ id }) => id),
        rule.parameters.kinds,
      )
    if (first && rule.type === 'security_alerts')
      preloadAlerts(hearth, first.evaluation.context.repo, pulls, rule.parameters)
  }
}

function blockersBy(hearth: Hearth, evaluation: MergeEvaluation, findings: Findings): Blocker[] {
  return evaluateRules(hearth, evaluation, findings).flatMap((result) => {
    const {
      one: { ruleset, rule },
      found,
    } = result
    if (!isBlocking(result) || found === null || found.shown === false) return []
    const url = rulesetUrl(hearth, ruleset)
    return [
      {
        code: found.code ?? 'rule',
        message: found.message,
        details: {
          ...found.details,
          ruleset: ruleset.id,
          ruleset_name: ruleset.name,
          type: rule.type,
          message: found.message,
          url,
        },
      },
    ]
  })
}

/**
 * Stores the evaluations of a merge attempt: of a refused merge those that blocked it, of a landed
 * one all.
 */
export function recordMergeAttempt(tx: Tx, evaluation: MergeEvaluation, landed: Oid | null): void {
  const { pull, by } = evaluation
  const results = evaluateRules(tx.hearth, evaluation, findingsOf(tx.db, evaluation.pull))
  recordEvaluations(
    tx,
    {
      repo_id: pull.repo_id,
      ref: branchRef(pull.base_ref),
      sha: landed ?? pull.head_sha,
      pull_number: pull.number,
      actor_id: by === null ? null : by.id,
    },
    landed === null ? results.filter(isBlocking) : results,
  )
}
