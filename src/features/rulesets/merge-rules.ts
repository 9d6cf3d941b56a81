/**
 * Rules held against merges. One function judges them, for what a pull request shows, for what
 * merging refuses, and for what is noted afterwards. What git had to be asked for was kept before
 * (`findings.ts`), so that nothing here waits.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { kept } from '#core/look.ts'
import type { Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { actorOf } from '#features/accounts/index.ts'
import { checksStatus } from '#features/checks/index.ts'
import { countUnresolved, labelsOf } from '#features/issues/index.ts'
import {
  countWritten,
  isActive,
  type Blocker,
  type MergeQuestion,
  type PullRow,
} from '#features/pulls/index.ts'
import { branchRef, contextsOf, type RepoRow } from '#features/repos/index.ts'
import { timestamp } from '#lib/time.ts'
import { isTypeId } from '#lib/typeid.ts'
import { isInTeam, teamPathOf } from './bypass.ts'
import { pullCostProblem } from './costs.ts'
import { noteVerdicts } from './evaluations.ts'
import {
  passer,
  rulesetsOf,
  rulesetUrl,
  rulesFor,
  stands,
  type InForce,
  type RuleOf,
  type Verdict,
} from './in-force.ts'
import { asksOfPull, keyOf } from './inspect.ts'
import { findingsOf, findPusher } from './store-evaluations.ts'
import { openingAt } from './windows.ts'

/** Work of an agent: its own pull request, or one that says that an agent works on it. */
export const isAgentWork = (pull: Pick<PullRow, 'author_id' | 'agent'>): boolean =>
  isTypeId(pull.author_id, 'agt') || pull.agent !== null

/**
 * What is wrong, with what a client needs to act on it. `shown` false: the settings that the rule
 * made stricter say it.
 */
type Problem = {
  readonly message: string
  readonly code?: string
  readonly details?: Record<string, unknown>
  readonly shown?: boolean
}

type Judged = Verdict & { readonly found: Problem | null }

/** The rules in force for merging a pull request. */
export function rulesForMerge(
  hearth: Hearth,
  repo: RepoRow,
  pull: Pick<PullRow, 'base_ref' | 'author_id' | 'agent'>,
  by: SignedIn | null,
): readonly InForce[] {
  const agents = isAgentWork(pull) || by?.kind === 'agent'
  return kept(hearth.db, 'merge rules', `${repo.id} ${agents} ${pull.base_ref}`, () =>
    rulesFor(rulesetsOf(hearth, repo), repo, branchRef(pull.base_ref)).filter(
      ({ rule, ruleset }) =>
        ruleset.target === 'branch' && (rule.applies_to === 'everyone' || agents),
    ),
  )
}

function judge(hearth: Hearth, question: MergeQuestion): Judged[] {
  const { context, pull, by } = question
  const rules = rulesForMerge(hearth, context.repo, pull, by)
  if (rules.length === 0) return []
  const passes = passer(hearth, context.repo, by, 'merge')
  const findings = findingsOf(hearth.db, pull)
  return rules.flatMap((one) => {
    const found = problemOf(hearth, question, one, findings)
    return found === undefined
      ? []
      : [
          {
            one,
            found,
            problem: found && found.message,
            passed: found !== null && passes(one.ruleset),
          },
        ]
  })
}

/**
 * What is wrong by one rule; null when nothing is, undefined when it has nothing to say of merges.
 */
function problemOf(
  hearth: Hearth,
  question: MergeQuestion,
  { rule }: InForce,
  findings: ReadonlyMap<string, string | null>,
): Problem | null | undefined {
  const { pull } = question
  const told = (message: string | null): Problem | null => (message === null ? null : { message })
  switch (rule.type) {
    case 'merge_window':
      return windowProblem(hearth, question, rule.parameters)
    case 'cost_cap':
      return rule.parameters.per === 'pull' && isAgentWork(pull)
        ? told(pullCostProblem(rule.parameters, pull))
        : undefined
    case 'pull_request':
      return pullRequestProblem(hearth, question, rule.parameters)
    case 'human_approval':
      return approvalProblem(hearth, question, rule, findings)
    case 'required_checks':
      return checksProblem(hearth, question, rule.parameters)
    case 'acceptance_checks': {
      const status = checksStatus(hearth, pull)
      return status === 'passed'
        ? null
        : {
            message: `its acceptance checks must pass; ${status === 'none' ? 'it has none' : `they are ${status}`}`,
          }
    }
    case 'session_required':
      return isAgentWork(pull) ? told(sessionProblem(hearth, pull, rule.parameters)) : undefined
    case 'update':
      return { message: `${pull.base_ref} may not be moved` }
    case 'linear_history':
      return told(
        question.context.settings.merge_methods.some((method) => method !== 'merge')
          ? null
          : 'the history here has no merges, and no other method of merging is allowed',
      )
    default:
      return asksOfPull(rule) ? told(findingOf(rule, findings)) : undefined
  }
}

/**
 * While git has not been asked, a rule stands: what nobody looked at was not allowed by anybody.
 */
const LOOKING = 'its commits are still being looked through'

const findingOf = (
  rule: InForce['rule'],
  findings: ReadonlyMap<string, string | null>,
): string | null => {
  const finding = findings.get(keyOf(rule))
  return finding === undefined ? LOOKING : finding
}

function windowProblem(
  hearth: Hearth,
  { pull, by, context }: MergeQuestion,
  rule: RuleOf<'merge_window'>['parameters'],
): Problem | null {
  const { open, opens_at, freeze } = openingAt(rule, hearth.clock.now())
  if (open) return null
  const labels = new Set(
    labelsOf(hearth.db, pull.repo_id, pull.number).map((label) => label.toLowerCase()),
  )
  const excepted = rule.exceptions.some((one) =>
    isTypeId(one, 'team')
      ? by?.kind === 'user' && isInTeam(hearth.db, context.repo.workspace_id, one, by.id)
      : labels.has(one.toLowerCase()),
  )
  if (excepted) return null
  const at = opens_at === null ? null : timestamp(opens_at)
  const why = freeze
    ? `is frozen${freeze.reason ? ` (${freeze.reason})` : ''}`
    : 'is outside of its window'
  return {
    message: `merging into ${pull.base_ref} ${why}${at === null ? '' : `; it opens at ${at}`}`,
    code: 'merge_window',
    details: { opens_at: at },
  }
}

const plural = (count: number, one: string): string =>
  count === 1 ? `1 ${one}` : `${count} ${one}s`

function pullRequestProblem(
  hearth: Hearth,
  { pull, standings, context }: MergeQuestion,
  rule: RuleOf<'pull_request'>['parameters'],
): Problem | null {
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
  if (
    rule.require_conversation_resolution &&
    countUnresolved(hearth.db, pull.repo_id, pull.number) > 0
  )
    return { message: 'conversations on lines must be resolved first', shown: false }
  return context.settings.merge_methods.length === 0
    ? { message: 'the rules together leave no method of merging' }
    : null
}

const principalOf = (hearth: Hearth, actor_id: string): string =>
  actorOf(hearth, actor_id).on_behalf_of?.id ?? actor_id

function approvalProblem(
  hearth: Hearth,
  { standings, context }: MergeQuestion,
  rule: RuleOf<'human_approval'>,
  findings: ReadonlyMap<string, string | null>,
): Problem | null {
  const { count, paths, from } = rule.parameters
  const touched = paths.length === 0 ? '' : findings.get(keyOf(rule))
  if (touched === undefined) return { message: LOOKING }
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
  hearth: Hearth,
  { pull }: MergeQuestion,
  { contexts }: RuleOf<'required_checks'>['parameters'],
): Problem | null {
  const known = new Map(
    pull.head_sha === null
      ? []
      : contextsOf(hearth, pull.repo_id, pull.head_sha).map(({ context, trusted }) => [
          context,
          trusted,
        ]),
  )
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

/** Answers to the points of pull requests. */
export function mergeBlockers(hearth: Hearth, question: MergeQuestion): Blocker[] {
  if (!isActive(question.pull)) return []
  return judge(hearth, question).flatMap((judged) => {
    const {
      one: { ruleset, rule },
      found,
    } = judged
    if (!stands(judged) || found === null || found.shown === false) return []
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

/** A merge that was refused notes what stood in its way; one that lands notes all. */
export function noteMerge(tx: Tx, question: MergeQuestion, landed: Oid | null): void {
  const { pull, by } = question
  const verdicts = judge(tx.hearth, question)
  noteVerdicts(
    tx,
    {
      repo_id: pull.repo_id,
      ref: branchRef(pull.base_ref),
      sha: landed ?? pull.head_sha,
      pull_number: pull.number,
      actor_id: by && by.id,
    },
    landed === null ? verdicts.filter(stands) : verdicts,
  )
}
