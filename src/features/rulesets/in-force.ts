/** Which rules watch a ref of a repository. Rules of all matching rulesets add up. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { kept } from '#core/look.ts'
import { branchOf, fullNameOf, repoById, tagOf, type RepoRow } from '#features/repos/index.ts'
import { workspaceById } from '#features/workspaces/index.ts'
import { mayPass, type Way } from './bypass.ts'
import { meansRef, meansRepository } from './conditions.ts'
import type { Rule } from './parameters.ts'
import type { RuleType, Target } from './schema.ts'
import { listWatching, type RulesetRow } from './store.ts'

/** A rule with the ruleset that it comes from. */
export type InForce<R extends Rule = Rule> = { readonly ruleset: RulesetRow; readonly rule: R }

export type RuleOf<T extends RuleType> = Extract<Rule, { type: T }>

/** Narrows a rule to some types. */
export const isOf = <T extends RuleType>(
  one: InForce,
  ...types: readonly T[]
): one is InForce<RuleOf<T>> => types.some((type) => type === one.rule.type)

/** The rulesets that are about a repository; `repo` is never a fork. */
export function rulesetsOf({ db }: Pick<Hearth, 'db'>, repo: RepoRow): readonly RulesetRow[] {
  return kept(db, 'rulesets', repo.id, () => {
    const about = {
      name: repo.name,
      private: repo.private === 1,
      topics: JSON.parse(repo.topics) as string[],
    }
    return listWatching(db, repo.workspace_id, repo.id).filter(({ conditions }) =>
      meansRepository(conditions.repository, about),
    )
  })
}

/**
 * The rules of some rulesets that are about one ref. A name in the fork of a pull request is
 * watched only by those for pushes.
 */
export function rulesFor(
  rulesets: readonly RulesetRow[],
  repo: RepoRow,
  ref: string,
  inFork = false,
): InForce[] {
  const [kind, name]: [Target, string] =
    branchOf(ref) !== null ? ['branch', branchOf(ref) ?? ''] : ['tag', tagOf(ref) ?? '']
  return rulesets
    .filter(
      ({ target, conditions }) =>
        (target === 'push' || (target === kind && !inFork)) &&
        meansRef(conditions.ref_name, name, repo.default_branch),
    )
    .flatMap((ruleset) => ruleset.rules.map((rule) => ({ ruleset, rule })))
}

/** The repository that a repository or fork belongs to. */
export const parentOf = (hearth: Pick<Hearth, 'db'>, row: RepoRow): RepoRow =>
  row.parent_id === null ? row : (repoById(hearth.db, row.parent_id) ?? row)

/** Where people read what a ruleset says. */
export function rulesetUrl(
  { db, settings }: Pick<Hearth, 'db' | 'settings'>,
  row: Pick<RulesetRow, 'id' | 'workspace_id' | 'repo_id'>,
): string {
  if (row.workspace_id !== null)
    return `${settings.site_url}/${workspaceById(db, row.workspace_id)?.slug ?? 'ghost'}/-/rulesets/${row.id}`
  const repo = row.repo_id === null ? null : repoById(db, row.repo_id)
  return `${settings.site_url}/${repo ? fullNameOf(db, repo) : 'ghost'}/settings/rulesets/${row.id}`
}

/** Whether somebody passes a ruleset; asked once for each ruleset of one look. */
export function passer(
  hearth: Hearth,
  repo: RepoRow,
  by: SignedIn | null,
  way: Way,
): (ruleset: RulesetRow) => boolean {
  if (by === null) return () => false
  const place = { workspace_id: repo.workspace_id, full_name: fullNameOf(hearth.db, repo) }
  const known = new Map<string, boolean>()
  return (ruleset) => {
    let passes = known.get(ruleset.id)
    if (passes === undefined)
      known.set(ruleset.id, (passes = mayPass(hearth, place, ruleset.bypass_actors, by, way)))
    return passes
  }
}

/** What came of holding a rule against something. */
export type Verdict = {
  readonly one: InForce
  readonly problem: string | null
  readonly passed: boolean
}

/**
 * Whether it stands in the way: something is wrong, the ruleset is enforced, and the caller may not
 * pass it.
 */
export const stands = ({ one, problem, passed }: Verdict): boolean =>
  problem !== null && !passed && one.ruleset.enforcement === 'active'
