/** Whether a rule makes published releases immutable. */
import type { Hearth } from '#core/hearth.ts'
import { repoById, tagRef } from '#features/repos/index.ts'
import { rulesetsOf, rulesetUrl, rulesFor } from './applicable-rules.ts'

/**
 * The ruleset that makes the release of a tag immutable. A branch ruleset covers all releases,
 * because a release has no branch.
 */
export function immutableBy(
  hearth: Hearth,
  repo_id: string,
  tag: string,
): { ruleset: string; name: string; url: string } | null {
  const repo = repoById(hearth.db, repo_id)
  if (!repo) return null
  const rulesets = rulesetsOf(hearth, repo).filter(({ enforcement }) => enforcement === 'active')
  const named = rulesFor(rulesets, repo, tagRef(tag))
    .filter(({ rule }) => rule.type === 'immutable_releases')
    .map(({ ruleset }) => ruleset)
  const ruleset =
    named[0] ??
    rulesets.find(
      ({ target, rules }) =>
        target === 'branch' && rules.some(({ type }) => type === 'immutable_releases'),
    )
  return ruleset
    ? { ruleset: ruleset.id, name: ruleset.name, url: rulesetUrl(hearth, ruleset) }
    : null
}
