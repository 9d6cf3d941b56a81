/**
 * Pull requests and reviews that come from another forge. They keep their numbers, people and
 * dates. No event is appended, so nobody is notified and no check runs.
 */
import { typeIdAt } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import {
  asOf,
  findRecord,
  importedText,
  importedTitle,
  insertRecord,
  setImportedFacts,
  updateLink,
  type ImportedRecord,
} from '#features/issues/index.ts'
import {
  branchRef,
  createFork,
  moveRefs,
  readRef,
  recordMergedCommits,
  type RepoRow,
} from '#features/repos/index.ts'
import type { MergeMethod, Oid } from '#git'
import { updateOpenPulls } from '../lifecycle/settle.ts'
import { insertReview, setDismissed } from '../reviews/store-reviews.ts'
import type { Verdict } from '../schema.ts'
import {
  clearMergeCommit,
  findActiveForBranch,
  findPull,
  insertPull,
  setClosed,
  setMerged,
  touchPull,
  type PullRow,
} from '../store-pulls.ts'

export type ImportedPull = ImportedRecord & {
  readonly draft: boolean
  readonly base: { readonly ref: string; readonly sha: Oid }
  /** Null when its commits are no longer there; such a pull request is closed. */
  readonly head: { readonly ref: string; readonly sha: Oid; readonly in_fork: boolean } | null
  readonly merged: {
    readonly by: string | null
    readonly at_ms: number
    /** Null when the commit is not in the history. */
    readonly commit: Oid | null
    /** Null when the other forge does not tell. */
    readonly method: MergeMethod | null
  } | null
  readonly closed: { readonly by: string | null; readonly at_ms: number } | null
}

type Location = Pick<PullRow, 'branch' | 'fork_id' | 'head_ref' | 'head_sha'>

const NOWHERE: Location = { branch: null, fork_id: null, head_ref: null, head_sha: null }

/** Where the head of a pull request is here. An open one from a fork gets a fork of its own. */
function locateHead(then: Tx, repo: RepoRow, pull: ImportedPull, isOpen: boolean): Location {
  const { head, number } = pull
  if (head === null) return NOWHERE
  const tip = { head_ref: head.ref, head_sha: head.sha }
  if (!isOpen) return { ...tip, branch: head.in_fork ? null : head.ref, fork_id: null }
  const isBranch =
    !head.in_fork &&
    readRef(then.db, repo.id, branchRef(head.ref)) === head.sha &&
    findActiveForBranch(then.db, repo.id, head.ref, pull.base.ref) === null
  if (isBranch) return { ...tip, branch: head.ref, fork_id: null }
  const fork = createFork(then, repo, {
    pull_number: number,
    author_id: pull.author_id,
    head: { ref: branchRef(head.ref), oid: head.sha },
    imported: true,
  })
  return { ...tip, branch: null, fork_id: fork.id }
}

/** An open pull request keeps its head in its branch or fork, a settled one in this ref. */
function dropHeadRef(tx: Tx, repo_id: string, number: number): void {
  const name = `refs/pull/${number}/head`
  const old = readRef(tx.db, repo_id, name)
  if (old !== null)
    moveRefs(tx, { id: repo_id }, [
      { name, old, new: null, peeled: null, commits: 0, forced: false },
    ])
}

/** Adds a pull request under its number and returns its id; null when the number is taken already. */
export function importPull(tx: Tx, repo: RepoRow, pull: ImportedPull): string | null {
  const { repo_id, number, base, merged } = pull
  if (findRecord(tx.db, repo_id, number)) return null
  const then = asOf(tx, pull.created_ms)
  const closed = pull.closed ?? (pull.head === null ? { by: null, at_ms: pull.updated_ms } : null)
  const isOpen = merged === null && closed === null
  const title = importedTitle(pull.title)
  insertRecord(then, { repo_id, number, kind: 'pull', title, author_id: pull.author_id })
  insertPull(then, {
    id: typeIdAt('pr', then.now_ms, number),
    repo_id,
    number,
    title,
    body: importedText(pull.body),
    status: pull.draft && merged === null ? 'draft' : 'open',
    issue: null,
    ...locateHead(then, repo, pull, isOpen),
    base_ref: base.ref,
    base_sha: base.sha,
    author_id: pull.author_id,
    agent: null,
    auto_merge: 0,
  })
  const row = findPull(tx.db, repo_id, number)
  if (!row) throw new TypeError('the pull request that was just added is gone')
  if (isOpen) {
    dropHeadRef(tx, repo_id, number)
    updateOpenPulls(tx, row)
  } else settleImported(tx, row, pull.base.sha, merged, closed)
  setImportedFacts(tx, pull)
  touchPull(asOf(tx, pull.updated_ms), repo_id, number)
  return row.id
}

function settleImported(
  tx: Tx,
  row: PullRow,
  base_sha: Oid,
  merged: ImportedPull['merged'],
  closed: ImportedPull['closed'],
): void {
  const { repo_id, number } = row
  if (merged !== null) {
    const at = asOf(tx, merged.at_ms)
    // `setMerged` wants a commit; one that is not in the history is left out again.
    setMerged(
      at,
      row,
      { by: merged.by, commit: merged.commit ?? base_sha, method: merged.method },
      base_sha,
    )
    if (merged.commit === null) clearMergeCommit(tx, row.id)
    else recordMergedCommits(tx, repo_id, [merged.commit], { number, session: false })
    updateLink(tx, repo_id, number, { status: 'merged' })
  } else if (closed !== null) {
    setClosed(asOf(tx, closed.at_ms), row, 'asked', closed.by, null)
    updateLink(tx, repo_id, number, { status: 'closed' })
  }
}

type ImportedReview = {
  readonly pull_id: string
  readonly author_id: string
  readonly verdict: Verdict
  readonly body: string
  readonly commit_sha: Oid
  readonly created_ms: number
  /** Reviews of one second are in this order. */
  readonly order: number
  readonly dismissed: boolean
}

const EMPTY_REQUEST = '(no text)'
const DISMISSED_REASON = 'Dismissed on the other forge'

/**
 * Adds a review and returns its id. It names no change (`diff_id`), so it counts for no merge of
 * today.
 */
export function importReview(tx: Tx, review: ImportedReview): string {
  const then = asOf(tx, review.created_ms)
  const id = typeIdAt('rvw', then.now_ms, review.order)
  const body = importedText(review.body)
  insertReview(then, {
    id,
    pull_id: review.pull_id,
    author_id: review.author_id,
    verdict: review.verdict,
    body: body === '' && review.verdict === 'request_changes' ? EMPTY_REQUEST : body,
    commit_sha: review.commit_sha,
    diff_id: '',
    could_write: 0,
  })
  if (review.dismissed) setDismissed(then, id, review.author_id, DISMISSED_REASON)
  return id
}
