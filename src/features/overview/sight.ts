/** Which repositories somebody sees, asked once for each. */
import type { Caller } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { factsOf, repoById, viewerRole } from '#features/repos/index.ts'

/** Whether the caller sees a repository by its id; remembers the answers. */
export function seeing(hearth: Hearth, caller: Caller): (repo_id: string) => boolean {
  const known = new Map<string, boolean>()
  return (repo_id) => {
    const before = known.get(repo_id)
    if (before !== undefined) return before
    const row = repoById(hearth.db, repo_id)
    const facts = row && factsOf(hearth.db, row, caller)
    const seen = facts !== null && !facts.deleted && (!facts.private || (viewerRole(facts, caller) !== null && !facts.two_factor_missing))
    known.set(repo_id, seen)
    return seen
  }
}
