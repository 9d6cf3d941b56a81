/**
 * Evaluates rules for ref updates: pushes, and operations that create, move, rename or delete
 * branches and tags. What needs git is inspected once, before. The rules are evaluated twice:
 * before the update, and again in its transaction with the rules, teams and refs of that moment.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { writeAs, type Tx } from '#core/write.ts'
import type { Oid } from '#git'
import { findPull, type PullRow } from '#features/pulls/index.ts'
import {
  branchOf,
  branchRef,
  findBranchPull,
  readRef,
  refsOf,
  releasedTags,
  signatureVerifier,
  tagOf,
  type RequestedMoves,
  type RuleEvaluation,
  type RuleViolation,
  type PreparedUpdate,
  type RepoRow,
} from '#features/repos/index.ts'
import { nextTurn } from '#lib/waiting.ts'
import { costProblem, pullCostProblem } from './cost-caps.ts'
import { recordEvaluations } from './evaluations.ts'
import {
  parentOf,
  bypassCheck,
  rulesetsOf,
  rulesetUrl,
  rulesFor,
  isBlocking,
  type ApplicableRule,
  type RuleResult,
} from './applicable-rules.ts'
import { isPushInspected, inspectCommitRange, keyOf, patternProblem } from './inspect-commits.ts'
import { patternMatcher } from './patterns.ts'
import type { Rule } from './rule-parameters.ts'
import type { RulesetRow } from './store.ts'

/** Findings by ref and rule. */
type FindingsByUpdate = ReadonlyMap<string, string | null>

const MAX_HIDDEN_TIPS = 1_000

/** So many updates are judged between two turns of the event loop. */
const UPDATES_PER_TURN = 200

const findingKey = (
  update: Pick<PreparedUpdate, 'name' | 'new'>,
  { ruleset, rule }: ApplicableRule,
): string => `${update.name} ${update.new} ${ruleset.target === 'push'} ${keyOf(rule)}`

/**
 * Commits that were checked before. For branch rules: the old tip, and the default branch, whose
 * rules have checked its commits. For push rules: all commits of the repository.
 */
function hiddenFor(
  hearth: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  ofPush: boolean,
): Oid[] {
  const trunks = [row, parent].map((repo) =>
    repo === row && update.name === branchRef(row.default_branch)
      ? null
      : readRef(hearth.db, repo.id, branchRef(repo.default_branch)),
  )
  const all = ofPush
    ? [row, parent].flatMap(({ id }) =>
        refsOf(hearth, id)
          .refs.filter(({ name }) => branchOf(name) !== null)
          .map(({ oid }) => oid),
      )
    : []
  const old = branchOf(update.name) === null ? null : update.old
  return [...new Set([old, ...trunks, ...all])]
    .filter((oid) => oid !== null)
    .slice(0, MAX_HIDDEN_TIPS)
}

async function inspectUpdates(hearth: Hearth, question: RequestedMoves): Promise<RuleEvaluation> {
  const { row, by, updates } = question
  const parent = parentOf(hearth, row)
  const rulesets = rulesetsOf(hearth, parent)
  const found = new Map<string, string | null>()
  const judged = rulesets.length === 0 ? [] : updates
  for (const update of judged) {
    const wanted = applicableRules(hearth, rulesets, row, parent, update, by).filter(({ rule }) =>
      isPushInspected(rule),
    )
    for (const ofPush of [false, true]) {
      const rules = wanted.filter(({ ruleset }) => (ruleset.target === 'push') === ofPush)
      const tip =
        update.new === null || rules.length === 0
          ? null
          : branchOf(update.name) === null
            ? await hearth.git.peelToCommit(row.store, update.new)
            : update.new
      if (tip === null) continue
      const findings = await inspectCommitRange(
        hearth,
        { store: row.store, tip, hide: hiddenFor(hearth, row, parent, update, ofPush), net: null },
        rules.map(({ rule }) => rule),
        signatureVerifier(hearth),
      )
      for (const one of rules)
        found.set(findingKey(update, one), findings.get(keyOf(one.rule)) ?? null)
    }
  }
  const refused: { update: PreparedUpdate; verdicts: RuleResult[] }[] = []
  for (const [at, update] of judged.entries()) {
    if (at % UPDATES_PER_TURN === UPDATES_PER_TURN - 1) await nextTurn()
    const verdicts = judge(hearth, row, parent, update, by, found).filter(isBlocking)
    if (verdicts.length > 0) refused.push({ update, verdicts })
  }
  // A refused update never reaches its transaction, so its evaluations are stored here.
  if (refused.length > 0)
    await writeAs(hearth, null, (tx) =>
      refused.forEach(({ update, verdicts }) => recordResults(tx, parent, by, update, verdicts)),
    )
  return {
    violations: refused.flatMap(({ update, verdicts }) =>
      verdicts.map((verdict) => refusalText(hearth, update.name, verdict)),
    ),
    recheck: (tx, left) => evaluateAgain(tx, question, left, found),
  }
}

function evaluateAgain(
  tx: Tx,
  { row, by }: RequestedMoves,
  updates: readonly PreparedUpdate[],
  found: FindingsByUpdate,
): RuleViolation[] {
  const parent = parentOf(tx.hearth, row)
  if (rulesetsOf(tx.hearth, parent).length === 0) return []
  return updates.flatMap((update) => {
    const verdicts = judge(tx.hearth, row, parent, update, by, found)
    recordResults(tx, parent, by, update, verdicts)
    return verdicts
      .filter(isBlocking)
      .map((verdict) => refusalText(tx.hearth, update.name, verdict))
  })
}

const recordResults = (
  tx: Tx,
  { id }: RepoRow,
  by: SignedIn,
  update: PreparedUpdate,
  verdicts: readonly RuleResult[],
): void =>
  recordEvaluations(
    tx,
    { repo_id: id, ref: update.name, sha: update.new, pull_number: null, actor_id: by.id },
    verdicts,
  )

function refusalText(
  hearth: Hearth,
  ref: string,
  { one: { ruleset, rule }, problem }: RuleResult,
): RuleViolation {
  const url = rulesetUrl(hearth, ruleset)
  const message = `rule ${rule.type}: ${problem ?? ''}`
  return {
    ref,
    message,
    line: `${ref.replace(/^refs\/(heads|tags)\//, '')}: ${message}; ${url}`,
    details: {
      ref,
      ruleset: ruleset.id,
      ruleset_name: ruleset.name,
      type: rule.type,
      message: problem,
      url,
    },
  }
}

function applicableRules(
  hearth: Hearth,
  rulesets: readonly RulesetRow[],
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
): ApplicableRule[] {
  const own = rulesFor(rulesets, parent, update.name, row.id !== parent.id).filter(
    ({ rule }) => rule.type !== 'cost_cap',
  )
  // A release has no branch, so a branch ruleset that freezes releases covers all of them.
  const releases =
    branchOf(update.name) === null
      ? rulesets
          .filter(({ target }) => target === 'branch')
          .flatMap((ruleset) => ruleset.rules.map((rule) => ({ ruleset, rule })))
      : []
  return [
    ...own,
    ...releases.filter(({ rule }) => rule.type === 'immutable_releases'),
    ...costCaps(hearth, rulesets, row, parent, update, by),
  ].filter(({ rule }) => rule.applies_to === 'everyone' || by.kind === 'agent')
}

/** Cost caps belong to the base of a pull request and block pushes to its head. */
function costCaps(
  hearth: Hearth,
  rulesets: readonly RulesetRow[],
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
): ApplicableRule[] {
  if (
    by.kind !== 'agent' ||
    !rulesets.some(({ rules }) => rules.some(({ type }) => type === 'cost_cap'))
  )
    return []
  const into = pullOf(hearth, row, parent, update)?.base_ref
  return rulesFor(rulesets, parent, into === undefined ? update.name : branchRef(into)).filter(
    ({ rule }) => rule.type === 'cost_cap',
  )
}

/** The pull request whose head is updated. */
function pullOf(
  { db }: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
): PullRow | null {
  const number = row.pull_number ?? findBranchPull(db, parent.id, branchOf(update.name) ?? '')
  return number === null ? null : findPull(db, parent.id, number)
}

function judge(
  hearth: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
  found: FindingsByUpdate,
): RuleResult[] {
  const passes = bypassCheck(hearth, parent, by, 'move')
  return applicableRules(hearth, rulesetsOf(hearth, parent), row, parent, update, by).flatMap(
    (one) => {
      const problem = problemOf(hearth, row, parent, update, by, one, found)
      return problem === undefined
        ? []
        : [{ one, problem, passed: problem !== null && passes(one.ruleset) }]
    },
  )
}

/**
 * The violation of one rule by an update: null for none, undefined when the rule is not about such
 * updates.
 */
function problemOf(
  hearth: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
  one: ApplicableRule,
  found: FindingsByUpdate,
): string | null | undefined {
  const { rule } = one
  const branch = branchOf(update.name)
  const tag = tagOf(update.name)
  const made = update.old === null
  const gone = update.new === null
  switch (rule.type) {
    case 'creation':
    case 'update':
    case 'deletion':
    case 'non_fast_forward':
      return refProblem(update, rule.type)
    case 'pull_request':
      // A push may create the branch, because there is nothing yet to open a pull request against.
      return made || gone || branch === null
        ? undefined
        : `${branch} changes through pull requests only: push to another branch and open one`
    case 'merge_queue':
      return made || gone || branch === null
        ? undefined
        : `${branch} changes through the merge queue only: open a pull request`
    case 'branch_name':
      return made && branch !== null
        ? patternProblem(patternMatcher(hearth), rule.parameters, branch, 'the name of the branch')
        : undefined
    case 'tag_name':
      return made && tag !== null
        ? patternProblem(patternMatcher(hearth), rule.parameters, tag, 'the name of the tag')
        : undefined
    case 'immutable_releases':
      return made || tag === null || !isReleased(hearth, parent, update.name)
        ? undefined
        : 'a release of this tag is published, and published releases do not change'
    case 'cost_cap':
      return by.kind !== 'agent' || gone
        ? undefined
        : capProblem(hearth, row, parent, update, rule, one)
    default:
      return isPushInspected(rule) && !gone ? gitProblem(update, one, found) : undefined
  }
}

/** The violation of a rule about creating, moving or deleting a ref. */
function refProblem(
  { name, old, new: tip, forced }: PreparedUpdate,
  type: 'creation' | 'update' | 'deletion' | 'non_fast_forward',
): string | null | undefined {
  const branch = branchOf(name)
  const isTag = tagOf(name) !== null
  const what = branch !== null ? 'branch' : isTag ? 'tag' : 'ref'
  const isMove = old !== null && tip !== null
  if (type === 'creation') return old === null ? `this ${what} may not be made` : undefined
  if (type === 'update') return isMove ? `this ${what} may not be moved` : undefined
  if (type === 'deletion') return tip === null ? `this ${what} may not be deleted` : undefined
  if (!isMove || (branch === null && !isTag)) return undefined
  if (!forced) return null
  return branch === null
    ? 'a tag may not be moved to something else'
    : `the push would lose commits of ${branch}; merge or rebase onto it instead of forcing`
}

/** The finding of a rule; a rule that is newer than the inspection has none. */
function gitProblem(
  update: PreparedUpdate,
  one: ApplicableRule,
  found: FindingsByUpdate,
): string | null {
  const finding = found.get(findingKey(update, one))
  return finding === undefined ? 'this rule was changed just now; push again' : finding
}

const isReleased = (hearth: Hearth, parent: RepoRow, ref: string): boolean =>
  releasedTags.all(hearth).some((isOne) => isOne(hearth.db, parent.id, tagOf(ref) ?? ''))

function capProblem(
  hearth: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  rule: Extract<Rule, { type: 'cost_cap' }>,
  one: ApplicableRule,
): string | null | undefined {
  if (rule.parameters.per !== 'pull')
    return costProblem(hearth, one.ruleset, rule.parameters, parent)
  const pull = pullOf(hearth, row, parent, update)
  return pull === null ? undefined : pullCostProblem(rule.parameters, pull)
}

/** The implementation of `moveRules`. */
export const moveRulings = {
  ask: inspectUpdates,
  keeps: (hearth: Hearth, { row, by, updates }: RequestedMoves): boolean => {
    const parent = parentOf(hearth, row)
    return updates.some((update) =>
      judge(hearth, row, parent, update, by, new Map()).some(isBlocking),
    )
  },
}
