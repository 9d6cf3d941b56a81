/** A pull request with all that is known of it but its comments. */
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import { checksOf } from '#features/checks/index.ts'
import { findIssue, issueRecord } from '#features/issues/index.ts'
import { overlapsOf } from './changes/overlaps.ts'
import { statsIfAny } from './changes/stats.ts'
import type { Stats } from './changes/store-stats.ts'
import { contextOf } from './pull-context.ts'
import { pullRecord, remoteOf } from './pull-record.ts'
import { reviewRecords } from './reviews/review-record.ts'
import type { Behind, PullOverview } from './schema.ts'
import { isActive, requirePull, type PullRow } from './store-pulls.ts'

/** Throws 404 when the repository has no such pull request. */
export async function pullOverview(
  hearth: Hearth,
  repo_id: string,
  number: number,
): Promise<PullOverview> {
  const { db } = hearth
  const asked = requirePull(db, repo_id, number)
  const found = await statsIfAny(hearth, asked)
  // Read again: a push may have moved the head while git ran, and the parts of the response must be
  // consistent.
  const row = requirePull(db, repo_id, number)
  const stats =
    row.head_sha === asked.head_sha && row.base_sha === asked.base_sha
      ? found
      : await statsIfAny(hearth, row)
  const context = contextOf(db, repo_id)
  return readScope(db, () => {
    const pull = pullRecord(hearth, row, context)
    const issue = row.issue === null ? null : findIssue(db, repo_id, row.issue)
    return {
      ...pull,
      pull,
      issue: issue && issueRecord(hearth, issue),
      reviews: reviewRecords(hearth, row, context, stats),
      checks: checksOf(hearth, row),
      behind: behindOf(row, stats),
      overlaps: overlapsOf(hearth, row),
      git: remoteOf(hearth, row, context),
    }
  })
}

/** For a settled pull request: as it was when it was settled. */
const behindOf = (pull: PullRow, stats: Stats | null): Behind => ({
  by: stats?.behind ?? 0,
  base: pull.base_ref,
  base_sha: pull.base_sha,
  merge_base_sha: stats?.merge_base_sha ?? null,
  conflicts: stats && isActive(pull) ? stats.conflict_paths !== null : null,
  conflict_paths: isActive(pull) ? [...(stats?.conflict_paths ?? [])] : [],
  touched_paths: [...(stats?.touched_paths ?? [])],
})
