/** The rules that apply to a ref of a repository. Rules of all matching rulesets add up. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { memo } from '#core/read-scope.ts'
import { branchOf, fullNameOf, repoById, tagOf, type RepoRow } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { mayBypass, type BypassWay } from './bypass.ts'
import { matchesRef, matchesRepository } from './conditions.ts'
import type { Rule } from './rule-parameters.ts'
import type { RuleType, Target } from './schema.ts'
import { listApplicable, type RulesetRow } from './store.ts'

/** A rule with its ruleset. */
export type ApplicableRule<R extends Rule = Rule> = {
  readonly ruleset: RulesetRow
  readonly rule: R
}

export type RuleOf<T extends RuleType> = Extract<Rule, { type: T }>

/** Narrows a rule to some types. */
export const isRuleOf = <T extends RuleType>(
  one: ApplicableRule,
  ...types: readonly T[]
): one is ApplicableRule<RuleOf<T>> => types.some((type) => type === one.rule.type)

/** The rulesets that match a repository; `repo` is never a fork. */
export function rulesetsOf({ db }: Pick<Hearth, 'db'>, repo: RepoRow): readonly RulesetRow[] {
  return memo(db, 'rulesets', repo.id, () => {
    const about = {
      name: repo.name,
      private: repo.private === 1,
      topics: JSON.parse(repo.topics) as string[],
    }
    return listApplicable(db, repo.workspace_id, repo.id).filter(({ conditions }) =>
      matchesRepository(conditions.repository, about),
    )
  })
}

/** The target and the short name of a ref. Refs that are no branch or tag have their full name. */
function targetOf(ref: string): [target: Target, name: string] {
  const branch = branchOf(ref)
  if (branch !== null) return ['branch', branch]
  const tag = tagOf(ref)
  return tag === null ? ['push', ref] : ['tag', tag]
}

/**
 * The rules of these rulesets that match a ref. A ref in a fork, and a ref that is no branch or
 * tag, is matched only by rulesets with the target push.
 */
export function rulesFor(
  rulesets: readonly RulesetRow[],
  repo: RepoRow,
  ref: string,
  inFork = false,
): ApplicableRule[] {
  const [kind, name] = targetOf(ref)
  return rulesets
    .filter(
      ({ target, conditions }) =>
        (target === 'push' || (target === kind && !inFork)) &&
        matchesRef(conditions.ref_name, name, repo.default_branch),
    )
    .flatMap((ruleset) => ruleset.rules.map((rule) => ({ ruleset, rule })))
}

/** The repository of a fork, else the repository itself. */
export const parentOf = (hearth: Pick<Hearth, 'db'>, row: RepoRow): RepoRow =>
  row.parent_id === null ? row : (repoById(hearth.db, row.parent_id) ?? row)

/** The page of a ruleset. */
export function rulesetUrl(
  { db, settings }: Pick<Hearth, 'db' | 'settings'>,
  row: Pick<RulesetRow, 'id' | 'workspace_id' | 'repo_id'>,
): string {
  if (row.workspace_id !== null)
    return `${settings.site_url}/${workspaceById(db, row.workspace_id)?.slug ?? 'ghost'}/-/rulesets/${row.id}`
  const repo = row.repo_id === null ? null : repoById(db, row.repo_id)
  return `${settings.site_url}/${repo ? fullNameOf(db, repo) : 'ghost'}/settings/rulesets/${row.id}`
}

/**
 * Returns a function that tells whether a caller may bypass a ruleset. Each ruleset is checked
 * once.
 */
export function bypassCheck(
  hearth: Hearth,
  repo: RepoRow,
  by: SignedIn | null,
  way: BypassWay,
): (ruleset: RulesetRow) => boolean {
  if (by === null) return () => false
  const place = { workspace_id: repo.workspace_id, full_name: fullNameOf(hearth.db, repo) }
  const known = new Map<string, boolean>()
  return (ruleset) => {
    let passes = known.get(ruleset.id)
    if (passes === undefined)
      known.set(ruleset.id, (passes = mayBypass(hearth, place, ruleset.bypass_actors, by, way)))
    return passes
  }
}

/** The result of evaluating a rule for a push or merge. */
export type RuleResult = {
  readonly one: ApplicableRule
  readonly problem: string | null
  readonly passed: boolean
}

/**
 * Whether the rule blocks: it is violated, its ruleset is active, and the caller may not bypass it.
 */
export const isBlocking = ({ one, problem, passed }: RuleResult): boolean =>
  problem !== null && !passed && one.ruleset.enforcement === 'active'
