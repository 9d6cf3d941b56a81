/**
 * Counts a user's contributions per day, in the repositories that the reader can see. Triggers keep
 * the counts of each day by repository (`migrations/0092_contribution_days.sql`), so a year of an
 * actor with millions of events takes what a year of few takes.
 */
import type { Caller } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import { nextTurn } from '#lib/waiting.ts'
import { countContributionsByDay, listContributedRepos } from './store.ts'
import { listVisibleRepos } from './visible-repos.ts'

/** Repositories that are counted in one turn of the event loop: at most 19,000 rows of a year. */
export const REPOS_PER_TURN = 50

/** The number of contributions on each day from the first to the last, by day. */
export async function countContributions(
  db: Db,
  caller: Caller,
  actor_id: string,
  period: { readonly first: string; readonly last: string },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (let after = ''; ; ) {
    const repo_ids = listContributedRepos(db, actor_id, { after, limit: REPOS_PER_TURN })
    const visible = listVisibleRepos(db, caller, repo_ids)
    if (visible.size > 0)
      for (const { day, count } of countContributionsByDay(db, actor_id, visible, period))
        counts.set(day, (counts.get(day) ?? 0) + count)
    const last = repo_ids.at(-1)
    if (last === undefined || repo_ids.length < REPOS_PER_TURN) return counts
    after = last
    await nextTurn()
  }
}
