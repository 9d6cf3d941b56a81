/** Acceptance checks and commit statuses of a pull request as one state, as lists show it. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { currentRuns } from '#features/checks/index.ts'
import { combineStates, commitContextsOf, preloadContexts } from '#features/repos/index.ts'
import type { Oid } from '#git'
import type { OverallChecks, Pull } from '../schema.ts'

/** Any failure makes it failed, anything unfinished pending. */
export function overallChecks({
  checks_status,
  statuses_state,
}: Pick<Pull, 'checks_status' | 'statuses_state'>): OverallChecks {
  if (checks_status === 'failed' || checks_status === 'errored' || statuses_state === 'failure')
    return 'failed'
  if (checks_status === 'pending' || statuses_state === 'pending') return 'pending'
  return checks_status === 'none' && statuses_state === 'none' ? 'none' : 'passed'
}

/** The numbers, of these heads, whose checks have a state. Two queries, however many they are. */
export function withChecks(
  hearth: Hearth,
  repo_id: string,
  heads: readonly { number: number; head_sha: Oid | null }[],
  wanted: OverallChecks,
): number[] {
  return readScope(hearth.db, () => {
    const pushed = heads.flatMap(({ number, head_sha }) =>
      head_sha === null ? [] : [{ number, head_sha }],
    )
    const runs = currentRuns(hearth.db, repo_id, pushed)
    preloadContexts(hearth, repo_id, [...new Set(pushed.map(({ head_sha }) => head_sha))])
    return heads.flatMap(({ number, head_sha }) => {
      const states =
        head_sha === null
          ? []
          : commitContextsOf(hearth, repo_id, head_sha).map(({ state }) => state)
      const state = overallChecks({
        checks_status: runs.get(number)?.status ?? 'none',
        statuses_state: combineStates(states),
      })
      return state === wanted ? [number] : []
    })
  })
}
