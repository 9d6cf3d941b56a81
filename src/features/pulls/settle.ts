/**
 * How a pull request ends. Merging, being closed and being superseded each happen from several
 * places (an operation, a push, a sibling's merge); what belongs to them happens here, in the
 * transaction of whoever asks.
 */
import type { Tx } from '#core/write.ts'
import { actorId } from '#core/caller.ts'
import type { Oid } from '#git'
import { countRecords, resolveIssue, updateLink } from '#features/issues/index.ts'
import {
  moveRefs,
  readRef,
  recordLanded,
  setBranchPull,
  setOpenCounts,
} from '#features/repos/index.ts'
import { subjectOf, type PullContext } from './context.ts'
import { pullClosed, pullMerged } from './events.ts'
import { mergedBy } from './record.ts'
import {
  listActiveByBranch,
  listActiveByIssue,
  setClosed,
  type Merge,
  type PullRow,
} from './store.ts'

export type As = { actor_id: string | null }

/** Tells the repository how many are open, and which one a branch belongs to. */
export function noteOpenPulls(tx: Tx, pull: Pick<PullRow, 'repo_id' | 'branch'>): void {
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
 * Keeps the commits of a settled pull request when its branch goes: `refs/pull/<n>/head` holds
 * them, so that its changes can be read for good and anyone can fetch them. A fork has its own refs
 * for that.
 */
function keepHead(tx: Tx, pull: PullRow): void {
  if (pull.branch === null || pull.head_sha === null) return
  const name = `refs/pull/${pull.number}/head`
  const old = readRef(tx.db, pull.repo_id, name)
  if (old !== pull.head_sha)
    moveRefs(tx, { id: pull.repo_id }, [
      { name, old, new: pull.head_sha, peeled: null, commits: 0, forced: false },
    ])
}

export type Closing = {
  because: 'asked' | 'branch_deleted' | 'superseded'
  superseded_by?: number | null
  as?: As
}

/** Closes an active one. */
export function closeActive(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { because, superseded_by = null, as }: Closing,
): void {
  setClosed(tx, pull, because, as ? as.actor_id : tx.caller && actorId(tx.caller), superseded_by)
  updateLink(tx, pull.repo_id, pull.number, { status: 'closed', superseded_by })
  keepHead(tx, pull)
  noteOpenPulls(tx, pull)
  tx.append(
    pullClosed,
    subjectOf(context),
    { number: pull.number, issue: pull.issue, superseded_by },
    as,
  )
}

export type Merged = Merge & {
  /** The commits that the base gained with it. */
  landed: readonly Oid[]
  keep_issue_open: boolean
  /** Its checks had failed, and whoever merged it said that this is no matter. */
  checks_ignored?: boolean
  as?: As
}

/**
 * What follows once its row says merged and the base holds it: its issue is resolved, and its
 * siblings are closed.
 */
export function afterMerge(
  tx: Tx,
  context: PullContext,
  pull: PullRow,
  { by, commit, method, landed, keep_issue_open, checks_ignored = false, as }: Merged,
): void {
  const merged_by = mergedBy(tx.hearth, by)
  updateLink(tx, pull.repo_id, pull.number, { status: 'merged', merged_by })
  recordLanded(tx, pull.repo_id, landed, { number: pull.number, session: pull.session_entries > 0 })
  keepHead(tx, pull)
  noteOpenPulls(tx, pull)
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
