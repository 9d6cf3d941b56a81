/**
 * Acceptance checks. Nothing here runs them yet, so there is nothing to tell but which commit they would be for: the status is
 * `none`, not `pending`, because nobody is at work on them.
 */
import type { Checks } from './schema.ts'
import type { PullRow } from './store.ts'

export const checksOf = (pull: Pick<PullRow, 'head_sha'>, sha: string | null = pull.head_sha): Checks => ({
  sha, status: 'none', merge_sha: null, started_at: null, finished_at: null, results: [],
})
