/**
 * Records of a team's repositories. The highest role counts, whether the team gives it or an
 * ancestor.
 */
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { TeamRepo } from './schema.ts'
import type { TeamRepoRow } from './store-repos.ts'

/**
 * Combines all sources of a team's role on a repository into one record. Among equal roles the
 * nearest source is named.
 */
export function teamRepoRecord(rows: readonly TeamRepoRow[]): TeamRepo | null {
  const best = rows.reduce<TeamRepoRow | null>(
    (high, row) => (high !== null && reaches(high.role, row.role) ? high : row),
    null,
  )
  return (
    best && {
      id: best.repo_id,
      full_name: best.full_name,
      private: best.private === 1,
      role: best.role,
      inherited_from: best.distance === 0 ? null : best.from_slug,
    }
  )
}

/** Whether a caller can see a repository and so its name in a team. */
export function canSeeRepo(hearth: Hearth, caller: SignedIn, full_name: string): boolean {
  const facts = hearth.facts.repo(full_name, caller)
  return (
    facts !== null &&
    !facts.deleted &&
    (!facts.private || (facts.role !== null && !facts.two_factor_missing))
  )
}
