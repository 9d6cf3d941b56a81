import { readsRepo } from '#core/access.ts'
import { readScope } from '#core/read-scope.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { checksOf } from '#features/checks/index.ts'
import { commentsOf, issueRecord, findIssue } from '#features/issues/index.ts'
import { contextOf } from './pull-context.ts'
import { onPull } from './inputs.ts'
import { overlapsOf } from './changes/overlaps.ts'
import { pullRecord, remoteOf } from './pull-record.ts'
import { reviewRecords } from './reviews/review-record.ts'
import { PullDetail, type Behind } from './schema.ts'
import { statsIfAny } from './changes/stats.ts'
import { isActive, requirePull, type PullRow } from './store-pulls.ts'
import type { Stats } from './changes/store-stats.ts'
import { inPullDetail } from './untrusted-texts.ts'

const MAX_COMMENTS = 100

export const getPull = operation({
  name: 'get_pull',
  summary:
    'One pull request with its issue, first 100 comments, reviews, check results, how far it is behind its base, and other pull requests that change the same lines.',
  keywords: [
    'pull request details',
    'status of a pull request',
    'why can it not be merged',
    'merge conflicts',
    'can it be merged',
    'blockers',
    'view a PR',
  ],
  route: 'GET /v1/repos/{owner}/{name}/pulls/{number}',
  toolset: 'pulls',
  aliases: ['get_pull_request'],
  listed: 'core',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object(onPull),
  output: PullDetail,
  untrusted: inPullDetail,

  handler: async ({ hearth, db, repo }, { number }) => {
    const asked = requirePull(db, repo.id, number)
    const found = await statsIfAny(hearth, asked)
    // Read again: a push may have moved the head while git ran, and the parts of the response must
    // be consistent.
    const row = requirePull(db, repo.id, number)
    const stats =
      row.head_sha === asked.head_sha && row.base_sha === asked.base_sha
        ? found
        : await statsIfAny(hearth, row)
    const context = contextOf(db, repo.id)
    return readScope(db, () => {
      const pull = pullRecord(hearth, row, context)
      const issue = row.issue === null ? null : findIssue(db, repo.id, row.issue)
      return {
        ...pull,
        pull,
        issue: issue && issueRecord(hearth, issue),
        comments: commentsOf(hearth, repo.id, number, { limit: MAX_COMMENTS }),
        reviews: reviewRecords(hearth, row, context, stats),
        checks: checksOf(hearth, row),
        behind: behindOf(row, stats),
        overlaps: overlapsOf(hearth, row),
        git: remoteOf(hearth, row, context),
      }
    })
  },
})

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
