/** Changes the milestone of an issue or pull request, and the blockers of an issue. */
import type { Tx } from '#core/write.ts'
import { invalid } from '#lib/errors.ts'
import { milestoneId } from './require-records.ts'
import { listBlockers, setBlockers, isBlockedBy, type IssueRow } from './store-issues.ts'
import { findRecord, setRecordMilestone, type RecordRow } from './store-records.ts'

/**
 * Sets the milestone by id or title; empty or null removes it. Returns whether it changed; throws
 * 422 for an unknown milestone.
 */
export function changeMilestone(
  tx: Tx,
  record: Pick<RecordRow, 'repo_id' | 'number' | 'milestone_id'>,
  given: string | null,
): boolean {
  const id =
    given === null || given.trim() === '' ? null : milestoneId(tx.db, record.repo_id, given)
  if (id === null && given !== null && given.trim() !== '')
    throw invalid('milestone', `there is no milestone ${JSON.stringify(given)}`)
  if (id === record.milestone_id) return false
  setRecordMilestone(tx, record.repo_id, record.number, id)
  return true
}

/**
 * Replaces the issues that block an issue. Returns whether they changed; throws 422 for a number
 * that is not another issue, and for a cycle.
 */
export function changeBlockers(tx: Tx, issue: IssueRow, given: readonly number[]): boolean {
  const { repo_id, number } = issue
  const wanted = [...new Set(given)].sort((a, b) => a - b)
  const present = listBlockers(tx.db, repo_id, [number]).map((row) => row.blocked_by)
  if (wanted.length === present.length && wanted.every((blocker, at) => blocker === present[at]))
    return false
  for (const blocker of wanted) {
    if (blocker === number) throw invalid('blocked_by', 'an issue cannot wait for itself')
    if (findRecord(tx.db, repo_id, blocker)?.kind !== 'issue')
      throw invalid('blocked_by', `there is no issue #${blocker}`)
    if (isBlockedBy(tx.db, repo_id, blocker, number))
      throw invalid('blocked_by', `issue #${blocker} itself waits for #${number}`)
  }
  setBlockers(tx, repo_id, number, wanted)
  return true
}
