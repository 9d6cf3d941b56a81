/** What may not happen to a release, whoever asks. */
import type { Hearth } from '#core/hearth.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { shortNameProblem } from '#features/repos/index.ts'
import { frozenBy } from './record.ts'
import type { ReleaseRow } from './store.ts'

/** Gives 409 `released` when a ruleset keeps the release as it is. */
export function requireThawed(hearth: Hearth, row: ReleaseRow, what: string): void {
  const ruleset = frozenBy(hearth, row)
  if (ruleset)
    throw conflict(
      'released',
      `${row.name} is published, and the ruleset ${ruleset.name} keeps published releases as they are: ${what}`,
      { ...ruleset },
    )
}

/** Gives 422 for what cannot be the name of a tag. */
export function requireTagName(tag_name: string): void {
  const problem = shortNameProblem('tags', tag_name)
  if (problem) throw invalid('tag_name', `the name of the tag ${problem}`)
}

export const taken = (tag_name: string) =>
  conflict('already_exists', `there is a release of ${tag_name} already`, { tag_name })

/** Gives 422 when what is asked for contradicts itself. */
export function requireMayBeLatest(
  input: { latest?: boolean | undefined },
  prerelease: boolean,
): void {
  if (input.latest === true && prerelease)
    throw invalid('latest', 'a prerelease cannot be the latest release')
}

/** A pull request's fork has no releases of its own. */
export function requireOwnRepo(repo: { readonly parent_id: string | null }): void {
  if (repo.parent_id !== null)
    throw invalid(
      'repo',
      'releases are made in the repository itself, not in the fork of a pull request',
    )
}
