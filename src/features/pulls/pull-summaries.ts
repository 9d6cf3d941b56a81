/** The states of many pull requests of any repositories, with few queries: for notifications. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { currentRuns } from '#features/checks/index.ts'
import { combineStates, commitContextsOf, preloadContexts } from '#features/repos/index.ts'
import { overallChecks } from './checks/overall-checks.ts'
import type { OverallChecks, PullStatus } from './schema.ts'
import { contextOf } from './pull-context.ts'
import { reviewSummaries, type ReviewSummary } from './pull-facts.ts'
import { pullsByNumber } from './store-pull-list.ts'

export type PullSummary = {
  readonly status: PullStatus
  readonly review: ReviewSummary
  readonly checks: OverallChecks
}

const keyOf = (repo_id: string, number: number): string => `${repo_id} ${number}`

/**
 * By repository id and number, with a space between them. The number of queries depends on the
 * repositories alone.
 */
export const pullSummaries = (
  hearth: Hearth,
  places: readonly { readonly repo_id: string; readonly number: number }[],
): Map<string, PullSummary> =>
  readScope(hearth.db, () => {
    const { db } = hearth
    const summaries = new Map<string, PullSummary>()
    for (const [repo_id, group] of Map.groupBy(places, (place) => place.repo_id)) {
      const pulls = pullsByNumber(
        db,
        repo_id,
        group.map(({ number }) => number),
      )
      if (pulls.length === 0) continue
      const reviews = reviewSummaries(hearth, contextOf(db, repo_id), pulls)
      const pushed = pulls.flatMap(({ number, head_sha }) =>
        head_sha === null ? [] : [{ number, head_sha }],
      )
      const runs = currentRuns(db, repo_id, pushed)
      preloadContexts(hearth, repo_id, [...new Set(pushed.map(({ head_sha }) => head_sha))])
      for (const { id, number, head_sha, status } of pulls) {
        const contexts = head_sha === null ? [] : commitContextsOf(hearth, repo_id, head_sha)
        const checks = overallChecks({
          checks_status: runs.get(number)?.status ?? 'none',
          statuses_state: combineStates(contexts.map(({ state }) => state)),
        })
        const review = reviews.get(id) ?? 'none'
        summaries.set(keyOf(repo_id, number), { status, review, checks })
      }
    }
    return summaries
  })
