/** Rules that ask for something that only a pull request has. Other ways to merge cannot obey them. */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { branchRef, type RepoRow } from '#features/repos/index.ts'
import { bypassCheck, rulesetsOf, rulesFor } from './applicable-rules.ts'
import type { RuleType } from './rule-parameters.ts'

const PULL_ONLY: readonly RuleType[] = [
  'acceptance_checks',
  'human_approval',
  'merge_window',
  'required_checks',
  'security_alerts',
  'session_required',
]

/** The types of active rules for a branch that the caller may not bypass. */
export function pullOnlyRulesOf(
  hearth: Hearth,
  row: RepoRow,
  branch: string,
  by: SignedIn,
): readonly string[] {
  const passes = bypassCheck(hearth, row, by, 'move')
  return rulesFor(rulesetsOf(hearth, row), row, branchRef(branch)).flatMap(({ ruleset, rule }) =>
    ruleset.enforcement === 'active' &&
    (rule.applies_to === 'everyone' || by.kind === 'agent') &&
    PULL_ONLY.includes(rule.type) &&
    !passes(ruleset)
      ? [rule.type]
      : [],
  )
}
