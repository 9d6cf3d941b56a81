/**
 * How a pull request ends: merged, closed or superseded. Operations, pushes and merges of other
 * pull requests end it; all effects of the end are here, in the caller's transaction.
 */
import type { Tx } from '#core/write.ts'
import { actorId } from '#core/caller.ts'
import type { Oid } from '#git'
import { countRecords, resolveIssue, updateLink } from '#features/issues/index.ts'
import {
  moveRefs,
  readRef,
  recordMergedCommits,
  setBranchPull,
  setOpenCounts,
} from '#features/repos/index.ts'
import { subjectOf, type PullContext } from '../pull-context.ts'
import { pullClosed, pullMerged } from '../events.ts'
import { mergedBy } from '../pull-record.ts'
import {
  listActiveByBranch,
  listActiveByIssue,
  setClosed,
  type MergeOutcome,
  type PullRow,
} from '../store-pulls.ts'

export type EventActor = { actor_id: string | null }

/** Updates the repository's count of open pull requests and the pull request of a branch. */
export function updateOpenPulls(tx: Tx, pull: Pick<PullRow, 'repo_id' | 'branch'>): void {
  setOpenCounts(tx, pull.repo_id, { pulls: countRecords(tx.db, pull.repo_id, 'pull', true) })
  if (pull.branch !== null)
    setBranchPull(
      tx,
      pull.repo_id,
      pull.branch,
      listActiveByBranch(tx.db, pull.repo_id, pull.branch).at(-1)?.number ?? null,
    )
}

/**
 * Creates `refs/pull/<n>/head`, so that the commits of a settled pull request stay readable and
 * fetchable after its branch is deleted. A fork has refs of its own for that.
 */
function retainHead(tx: Tx, pull: PullRow): void {
  if (pull.branch === null || pull.head_sha === null) return
  const name = `refs/pull/${pull.number}/head`
  const old = readRef(tx.db, pull.repo_id, name)
  if (old !== pull.head_sha)
    moveRefs(tx, { id: pull.repo_id }, [
      { name, old, new: pull.head_sha, peeled: null, commits: 0, forced: false },
    ])
}

export type CloseOptions = {
  because: 'asked' | 'branch_deleted' | 'superseded'
  superseded_by?: number | null
  as?: EventActor
}

/** Closes an active pull request. */
export function closeActive(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { because, superseded_by = null, as }: CloseOptions,
): void {
  setClosed(tx, pull, because, as ? as.actor_id : tx.caller && actorId(tx.caller), superseded_by)
  updateLink(tx, pull.repo_id, pull.number, { status: 'closed', superseded_by })
  retainHead(tx, pull)
  updateOpenPulls(tx, pull)
  tx.append(
    pullClosed,
    subjectOf(context),
    { number: pull.number, issue: pull.issue, superseded_by },
    as,
  )
}

export type MergeDetails = MergeOutcome & {
  /** The commits that the base gained with it. */
  landed: readonly Oid[]
  keep_issue_open: boolean
  /** Whether the caller merged it although its checks had failed. */
  checks_ignored?: boolean
  as?: EventActor
}

/**
 * Runs after the row is marked as merged and the base contains it: resolves the issue and closes
 * other pull requests for it.
 */
export function afterMerge(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { by, commit, method, landed, keep_issue_open, checks_ignored = false, as }: MergeDetails,
): void {
  const merged_by = mergedBy(tx.hearth, by)
  updateLink(tx, pull.repo_id, pull.number, { status: 'merged', merged_by })
  recordMergedCommits(tx, pull.repo_id, landed, {
    number: pull.number,
    session: pull.session_entries > 0,
  })
  retainHead(tx, pull)
  updateOpenPulls(tx, pull)
  tx.append(
    pullMerged,
    subjectOf(context),
    {
      number: pull.number,
      issue: pull.issue,
      commit,
      method,
      merged_by,
      ...(checks_ignored ? { checks_ignored } : {}),
    },
    as,
  )
  if (pull.issue === null || keep_issue_open) return
  resolveIssue(
    tx,
    { id: pull.repo_id, workspace_id: context.repo.workspace_id },
    pull.issue,
    pull.number,
    as,
  )
  for (const sibling of listActiveByIssue(tx.db, pull.repo_id, pull.issue)) {
    if (sibling.id !== pull.id)
      closeActive(tx, context, sibling, { because: 'superseded', superseded_by: pull.number, as })
  }
}
