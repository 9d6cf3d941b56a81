/**
 * Rules held against moves of refs: pushes, and operations that make, move, rename or delete
 * branches and tags. What git must be asked for is asked once, before; everything is then judged
 * twice, the second time in the transaction that moves the refs, by the rules, teams and refs of
 * that moment.
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
  signaturesOf,
  tagOf,
  type MoveQuestion,
  type MoveRuling,
  type Objection,
  type PreparedUpdate,
  type RepoRow,
} from '#features/repos/index.ts'
import { costProblem, pullCostProblem } from './costs.ts'
import { noteVerdicts } from './evaluations.ts'
import {
  parentOf,
  passer,
  rulesetsOf,
  rulesetUrl,
  rulesFor,
  stands,
  type InForce,
  type Verdict,
} from './in-force.ts'
import { asksOfPush, inspect, keyOf, patternProblem } from './inspect.ts'
import type { Rule } from './parameters.ts'
import type { RulesetRow } from './store.ts'

/** What git said, by ref and rule. */
type Found = ReadonlyMap<string, string | null>

const MOST_HIDDEN = 1_000

const placeOf = (
  update: Pick<PreparedUpdate, 'name' | 'new'>,
  { ruleset, rule }: InForce,
): string => `${update.name} ${update.new} ${ruleset.target === 'push'} ${keyOf(rule)}`

/**
 * The commits that are known already. For the rules of a branch: where it was, and the default
 * branch, whose own rules have seen what it holds. For rules about pushes: everything that the
 * repository has.
 */
function hiddenFor(
  { db }: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  ofPush: boolean,
): Oid[] {
  const trunks = [row, parent].map((repo) =>
    repo === row && update.name === branchRef(row.default_branch)
      ? null
      : readRef(db, repo.id, branchRef(repo.default_branch)),
  )
  const all = ofPush
    ? [row, parent].flatMap(({ id }) =>
        refsOf(db, id)
          .refs.filter(({ name }) => branchOf(name) !== null)
          .map(({ oid }) => oid),
      )
    : []
  const old = branchOf(update.name) === null ? null : update.old
  return [...new Set([old, ...trunks, ...all])].filter((oid) => oid !== null).slice(0, MOST_HIDDEN)
}

async function ask(hearth: Hearth, question: MoveQuestion): Promise<MoveRuling> {
  const { row, by, updates } = question
  const parent = parentOf(hearth, row)
  const rulesets = rulesetsOf(hearth, parent)
  const found = new Map<string, string | null>()
  for (const update of rulesets.length === 0 ? [] : updates) {
    const wanted = inForce(hearth, rulesets, row, parent, update, by).filter(({ rule }) =>
      asksOfPush(rule),
    )
    for (const ofPush of [false, true]) {
      const rules = wanted.filter(({ ruleset }) => (ruleset.target === 'push') === ofPush)
      const tip =
        update.new === null || rules.length === 0
          ? null
          : branchOf(update.name) === null
            ? await hearth.git.peel(row.store, update.new)
            : update.new
      if (tip === null) continue
      const findings = await inspect(
        hearth.git,
        { store: row.store, tip, hide: hiddenFor(hearth, row, parent, update, ofPush), net: null },
        rules.map(({ rule }) => rule),
        signaturesOf(hearth),
      )
      for (const one of rules)
        found.set(placeOf(update, one), findings.get(keyOf(one.rule)) ?? null)
    }
  }
  const refused = updates
    .map((update) => ({
      update,
      verdicts: judge(hearth, row, parent, update, by, found).filter(stands),
    }))
    .filter(({ verdicts }) => verdicts.length > 0)
  // What is refused now never comes to the transaction of the move.
  if (refused.length > 0)
    await writeAs(hearth, null, (tx) =>
      refused.forEach(({ update, verdicts }) => note(tx, parent, by, update, verdicts)),
    )
  return {
    objections: refused.flatMap(({ update, verdicts }) =>
      verdicts.map((verdict) => objection(hearth, update.name, verdict)),
    ),
    again: (tx, left) => left.flatMap((update) => lookAgain(tx, question, update, found)),
  }
}

function lookAgain(
  tx: Tx,
  { row, by }: MoveQuestion,
  update: PreparedUpdate,
  found: Found,
): Objection[] {
  const parent = parentOf(tx.hearth, row)
  const verdicts = judge(tx.hearth, row, parent, update, by, found)
  note(tx, parent, by, update, verdicts)
  return verdicts.filter(stands).map((verdict) => objection(tx.hearth, update.name, verdict))
}

const note = (
  tx: Tx,
  { id }: RepoRow,
  by: SignedIn,
  update: PreparedUpdate,
  verdicts: readonly Verdict[],
): void =>
  noteVerdicts(
    tx,
    { repo_id: id, ref: update.name, sha: update.new, pull_number: null, actor_id: by.id },
    verdicts,
  )

function objection(
  hearth: Hearth,
  ref: string,
  { one: { ruleset, rule }, problem }: Verdict,
): Objection {
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

function inForce(
  hearth: Hearth,
  rulesets: readonly RulesetRow[],
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
): InForce[] {
  const own = rulesFor(rulesets, parent, update.name, row.id !== parent.id).filter(
    ({ rule }) => rule.type !== 'cost_cap',
  )
  // A release has no branch: a ruleset about branches that freezes them is about all of them.
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

/**
 * Caps on what agents may cost belong to the branch that a pull request goes into, and stop pushes
 * to where it comes from.
 */
function costCaps(
  hearth: Hearth,
  rulesets: readonly RulesetRow[],
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
): InForce[] {
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

/** The pull request whose head is pushed. */
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
  found: Found,
): Verdict[] {
  const passes = passer(hearth, parent, by, 'move')
  return inForce(hearth, rulesetsOf(hearth, parent), row, parent, update, by).flatMap((one) => {
    const problem = problemOf(hearth, row, parent, update, by, one, found)
    return problem === undefined
      ? []
      : [{ one, problem, passed: problem !== null && passes(one.ruleset) }]
  })
}

/**
 * What is wrong with a move by one rule; null when nothing is, undefined when the rule has nothing
 * to say of such a move.
 */
function problemOf(
  hearth: Hearth,
  row: RepoRow,
  parent: RepoRow,
  update: PreparedUpdate,
  by: SignedIn,
  one: InForce,
  found: Found,
): string | null | undefined {
  const { rule } = one
  const branch = branchOf(update.name)
  const what = branch === null ? 'tag' : 'branch'
  const made = update.old === null
  const gone = update.new === null
  switch (rule.type) {
    case 'creation':
      return made ? `this ${what} may not be made` : undefined
    case 'update':
      return !made && !gone ? `this ${what} may not be moved` : undefined
    case 'deletion':
      return gone ? `this ${what} may not be deleted` : undefined
    case 'non_fast_forward':
      return made || gone
        ? undefined
        : !update.forced
          ? null
          : branch === null
            ? 'a tag may not be moved to something else'
            : `the push would lose commits of ${branch}; merge or rebase onto it instead of forcing`
    case 'pull_request':
      // A branch may begin by a push: there is nothing yet to open a pull request against.
      return made || gone || branch === null
        ? undefined
        : `${branch} changes through pull requests only: push to another branch and open one`
    case 'merge_queue':
      return made || gone || branch === null
        ? undefined
        : `${branch} changes through the merge queue only: open a pull request`
    case 'branch_name':
      return made && branch !== null
        ? patternProblem(rule.parameters, branch, 'the name of the branch')
        : undefined
    case 'tag_name':
      return made && branch === null
        ? patternProblem(rule.parameters, tagOf(update.name) ?? '', 'the name of the tag')
        : undefined
    case 'immutable_releases':
      return made || branch !== null || !isReleased(hearth, parent, update.name)
        ? undefined
        : 'a release of this tag is published, and published releases do not change'
    case 'cost_cap':
      return by.kind !== 'agent' || gone
        ? undefined
        : capProblem(hearth, row, parent, update, rule, one)
    default:
      return asksOfPush(rule) && !gone ? gitProblem(update, one, found) : undefined
  }
}

/** Something that was not asked about: the rule is younger than the question. */
function gitProblem(update: PreparedUpdate, one: InForce, found: Found): string | null {
  const finding = found.get(placeOf(update, one))
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
  one: InForce,
): string | null | undefined {
  if (rule.parameters.per !== 'pull')
    return costProblem(hearth, one.ruleset, rule.parameters, parent)
  const pull = pullOf(hearth, row, parent, update)
  return pull === null ? undefined : pullCostProblem(rule.parameters, pull)
}

/** Answers to the point of repositories. */
export const moveRulings = {
  ask,
  keeps: (hearth: Hearth, { row, by, updates }: MoveQuestion): boolean => {
    const parent = parentOf(hearth, row)
    return updates.some((update) => judge(hearth, row, parent, update, by, new Map()).some(stands))
  },
}
