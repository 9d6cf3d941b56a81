/** The states of many pull requests of any repositories, with few queries: for notifications. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { currentRuns } from '#features/checks/index.ts'
import { combineStates, commitContextsOf, preloadContexts } from '#features/repos/index.ts'
import { overallChecks } from './checks/overall-checks.ts'
import type { OverallChecks, PullStatus } from './schema.ts'
import { listReviewStates, type ReviewStateRow } from './store-pull-list.ts'

export type PullSummary = {
  readonly status: PullStatus
  readonly review: ReviewStateRow['review']
  readonly checks: OverallChecks
}

const keyOf = (repo_id: string, number: number): string => `${repo_id} ${number}`

/** By repository id and number, with a space between them. Two queries for each repository. */
export const pullSummaries = (
  hearth: Hearth,
  places: readonly { readonly repo_id: string; readonly number: number }[],
): Map<string, PullSummary> =>
  readScope(hearth.db, () => {
    const rows = listReviewStates(hearth.db, places)
    const summaries = new Map<string, PullSummary>()
    for (const [repo_id, pulls] of Map.groupBy(rows, (row) => row.repo_id)) {
      const pushed = pulls.flatMap(({ number, head_sha }) =>
        head_sha === null ? [] : [{ number, head_sha }],
      )
      const runs = currentRuns(hearth.db, repo_id, pushed)
      preloadContexts(hearth, repo_id, [...new Set(pushed.map(({ head_sha }) => head_sha))])
      for (const { number, head_sha, status, review } of pulls) {
        const contexts = head_sha === null ? [] : commitContextsOf(hearth, repo_id, head_sha)
        const checks = overallChecks({
          checks_status: runs.get(number)?.status ?? 'none',
          statuses_state: combineStates(contexts.map(({ state }) => state)),
        })
        summaries.set(keyOf(repo_id, number), { status, review, checks })
      }
    }
    return summaries
  })
