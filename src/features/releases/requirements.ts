/** Checks that apply to every caller. */
import type { Hearth } from '#core/hearth.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { shortNameProblem } from '#features/repos/index.ts'
import { findFreezingRuleset } from './release-record.ts'
import type { ReleaseRow } from './store.ts'

/** Throws 409 `released` when a ruleset makes the release immutable. */
export function requireNotFrozen(hearth: Hearth, row: ReleaseRow, what: string): void {
  const ruleset = findFreezingRuleset(hearth, row)
  if (ruleset)
    throw conflict(
      'released',
      `${row.name} is published, and the ruleset ${ruleset.name} keeps published releases as they are: ${what}`,
      { ...ruleset },
    )
}

/** Throws 422 for an invalid tag name. */
export function requireTagName(tag_name: string): void {
  const problem = shortNameProblem('tags', tag_name)
  if (problem) throw invalid('tag_name', `the name of the tag ${problem}`)
}

export const releaseExists = (tag_name: string) =>
  conflict('already_exists', `there is a release of ${tag_name} already`, { tag_name })

/** Throws 422 when a prerelease is to be the latest release. */
export function requireMayBeLatest(
  input: { latest?: boolean | undefined },
  prerelease: boolean,
): void {
  if (input.latest === true && prerelease)
    throw invalid('latest', 'a prerelease cannot be the latest release')
}

/** Throws 422 for the fork of a pull request, which has no releases. */
export function requireOwnRepo(repo: { readonly parent_id: string | null }): void {
  if (repo.parent_id !== null)
    throw invalid(
      'repo',
      'releases are made in the repository itself, not in the fork of a pull request',
    )
}
