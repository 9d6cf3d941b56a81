/**
 * Filters of lists that no index knows: the state of the checks, and the state of the reviews, which
 * depends on present roles and settings. Candidates are evaluated in batches, with other requests in
 * between, until the page is full.
 */
import type { Hearth } from '#core/hearth.ts'
import type { Window } from '#core/page.ts'
import { listRecordNumbers, type RecordFilter } from '#features/issues/index.ts'
import { invalid } from '#lib/errors.ts'
import { nextTurn } from '#lib/waiting.ts'
import { withChecks } from './checks/overall-checks.ts'
import { contextOf } from './pull-context.ts'
import { reviewSummaries } from './pull-facts.ts'
import type { OverallChecks, ReviewState } from './schema.ts'
import { pullsByNumber } from './store-pull-list.ts'

/** A list is refused when its page is not full after so many candidates. */
export const MAX_CANDIDATES = 10_000
/** A list with at most so many candidates is counted. */
const MAX_COUNTED_CANDIDATES = 500
const BATCH = 200

export type ComputedFilter = {
  readonly checks?: OverallChecks
  readonly review?: ReviewState
}

/** Without verdicts, the reviews of a pull request need no evaluation. */
export const isComputed = ({ checks, review }: ComputedFilter): boolean =>
  checks !== undefined || (review !== undefined && review !== 'none')

/** Numbers from `offset` on, one more than the limit when the list goes on. */
export async function listComputed(
  hearth: Hearth,
  filter: RecordFilter,
  wanted: ComputedFilter,
  { limit, offset }: Window,
): Promise<{ numbers: number[]; total: number | undefined }> {
  const candidates = listRecordNumbers(hearth.db, filter, MAX_CANDIDATES + 1, 0)
  const end = offset + limit + 1
  const found: number[] = []
  for (let at = 0; at < candidates.length; at += BATCH) {
    const isCounted = candidates.length <= MAX_COUNTED_CANDIDATES
    if (found.length >= end && !isCounted)
      return { numbers: found.slice(offset, end), total: undefined }
    if (at >= MAX_CANDIDATES)
      throw invalid(
        wanted.checks === undefined ? 'review' : 'checks',
        `more than ${MAX_CANDIDATES} pull requests would have to be evaluated; narrow the list by state, author, base or label`,
      )
    if (at > 0) await nextTurn()
    found.push(...matching(hearth, filter.repo_id, candidates.slice(at, at + BATCH), wanted))
  }
  return { numbers: found.slice(offset, end), total: found.length }
}

function matching(
  hearth: Hearth,
  repo_id: string,
  numbers: readonly number[],
  { checks, review }: ComputedFilter,
): number[] {
  const pulls = pullsByNumber(hearth.db, repo_id, numbers)
  const left = checks === undefined ? null : new Set(withChecks(hearth, repo_id, pulls, checks))
  const passing = pulls.filter(({ number }) => left?.has(number) ?? true)
  if (passing.length === 0 || review === undefined || review === 'none')
    return passing.map(({ number }) => number)
  const summaries = reviewSummaries(hearth, contextOf(hearth.db, repo_id), passing)
  const state = review === 'required' ? 'none' : review
  return passing.flatMap(({ id, number }) => (summaries.get(id) === state ? [number] : []))
}
