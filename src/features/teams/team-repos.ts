/**
 * Repositories of a team as records: the highest role counts, whether the team gives it or one
 * above.
 */
import { limitedRole } from '#core/access.ts'
import { reaches, type SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { TeamRepo } from './schema.ts'
import type { TeamRepoRow } from './store-repos.ts'

/**
 * One record for a repository from all the ways in which a team has it; the nearest of equal ones
 * is named.
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

/** A caller reads in a team only the names of repositories that they see. */
export function canSeeRepo(hearth: Hearth, caller: SignedIn, full_name: string): boolean {
  const facts = hearth.facts.repo(full_name, caller)
  return (
    facts !== null &&
    !facts.deleted &&
    (!facts.private || (limitedRole(facts, caller) !== null && !facts.two_factor_missing))
  )
}
