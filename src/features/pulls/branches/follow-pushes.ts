/**
 * Reactions to a push, inside its transaction: heads move, a deleted branch closes its pull
 * requests, and a moved base is recorded. Work that needs git (is the head part of the base now,
 * does it still merge) is left to jobs.
 */
import { listEvents, reaction, type EventRow } from '#core/events.ts'
import type { Static } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { commentCreated } from '#features/issues/index.ts'
import { branchOf, branchRef, gitPush, readRef, repoById } from '#features/repos/index.ts'
import type { PushSignature } from '#features/repos/schema.ts'
import { contextOf, subjectOf, type PullContext } from '../pull-context.ts'
import { describeCheckpoint } from '../sessions/describe-checkpoint.ts'
import { pullUpdated } from '../events.ts'
import { followLineComments } from '../reviews/line-comments.ts'
import { appendEntries, isSessionFull } from '../sessions/session.ts'
import { closeActive } from '../lifecycle/settle.ts'
import { settlePulls } from '../lifecycle/settle-after-push.ts'
import { countRevision } from './revision-limit.ts'
import { enqueueStats, refreshPulls } from '../changes/stats.ts'
import {
  findPull,
  findPullById,
  findPullOfFork,
  isActive,
  listActiveByBranch,
  listClosedByDeletion,
  setAgentRevisions,
  setBaseSha,
  setHead,
  touchPull,
  type PullRow,
} from '../store-pulls.ts'

type PushData = Static<(typeof gitPush)['data']>

export const followPushes = reaction('pulls follow pushes', gitPush, (tx, event) => {
  const branch = branchOf(event.data.ref)
  const repo = event.repo_id === null ? null : repoById(tx.db, event.repo_id)
  if (branch === null || !repo) return
  if (repo.parent_id !== null) followFork(tx, repo.id, branch, event.data)
  else {
    const context = contextOf(tx.db, repo.id)
    for (const pull of listActiveByBranch(tx.db, repo.id, branch)) {
      if (event.data.after === null) closeActive(tx, context, pull, { because: 'branch_deleted' })
      else moveHead(tx, context, pull, pushedHead(branch, event.data.after, event.data))
    }
    followBase(tx, repo.id, branch, event)
  }
})

/**
 * The head of a fork is its branch with the name of the base. While that branch was never pushed,
 * the head is the branch that was pushed last.
 */
function followFork(tx: Tx, fork_id: string, branch: string, data: PushData): void {
  const { after } = data
  const pull = findPullOfFork(tx.db, fork_id)
  if (!pull || !isActive(pull)) return
  const context = contextOf(tx.db, pull.repo_id)
  if (after !== null) {
    if (branch === pull.base_ref || pull.head_ref !== pull.base_ref)
      moveHead(tx, context, pull, pushedHead(branch, after, data))
    return
  }
  if (branch !== pull.head_ref) return
  const next = lastPushed(tx, fork_id)
  if (next) moveHead(tx, context, pull, next)
  else closeActive(tx, context, pull, { because: 'branch_deleted' })
}

/**
 * The branch of a fork that was pushed last and still exists. Branches that the fork was created
 * with do not count as pushed.
 */
function lastPushed(tx: Tx, fork_id: string): { ref: string; sha: string } | null {
  for (const { data } of listEvents(tx.db, {
    repo_id: fork_id,
    types: [gitPush.type],
    limit: 500,
  })) {
    const ref = branchOf(String(data.ref))
    const sha = ref === null ? null : readRef(tx.db, fork_id, branchRef(ref))
    if (ref !== null && sha !== null) return { ref, sha }
  }
  return null
}

type PushedHead = { ref: string; sha: string; signature?: PushSignature }

const pushedHead = (ref: string, sha: string, { signature }: PushData): PushedHead => ({
  ref,
  sha,
  ...(signature && { signature }),
})

function moveHead(tx: Tx, context: PullContext, pull: PullRow, head: PushedHead): void {
  if (pull.head_sha === head.sha && pull.head_ref === head.ref) return
  countRevision(tx, pull)
  setHead(tx, pull, head)
  tx.append(pullUpdated, subjectOf(context), {
    number: pull.number,
    issue: pull.issue,
    changed: ['head'],
    head: head.sha,
    ...(head.signature && { signature: head.signature }),
  })
  const moved = findPullById(tx.db, pull.id)
  if (moved) {
    addCheckpoint(tx, moved, head.sha, pull.head_sha ?? pull.base_sha)
    enqueueStats(tx, moved)
    tx.enqueue(followLineComments, { pull_id: pull.id }, { key: pull.id })
  }
}

/** Adds a checkpoint to the session. A job adds later how many files the push changed. */
function addCheckpoint(tx: Tx, pull: PullRow, sha: string, before: string): void {
  if (isSessionFull(pull) || sha === before) return
  const seq = appendEntries(tx, pull, [
    {
      kind: 'checkpoint',
      text: `Pushed ${sha.slice(0, 7)} to ${pull.head_ref}`,
      tool: null,
      at: tx.now,
      author_id: null,
      sha,
      data: JSON.stringify({ sha, files: null }),
      truncated: 0,
      redacted: 0,
    },
  ])
  tx.enqueue(describeCheckpoint, { pull_id: pull.id, seq, before, after: sha })
}

function followBase(
  tx: Tx,
  repo_id: string,
  branch: string,
  { data, actor_id, time }: EventRow<PushData>,
): void {
  const { before, after } = data
  if (after === null) return
  const active = setBaseSha(tx, repo_id, branch, after) > 0
  // A pull request that this push closed by deleting its branch may be merged by the same push.
  if (
    before !== null &&
    (active || listClosedByDeletion(tx.db, repo_id, branch, time).length > 0)
  ) {
    tx.enqueue(settlePulls, { repo_id, base_ref: branch, before, after, actor_id, time })
  }
  if (active)
    tx.enqueue(refreshPulls, { repo_id, base_ref: branch }, { key: `${repo_id} ${branch}` })
}

/**
 * A comment or review updates the `updated_at` of its pull request. A comment by a person allows
 * agents to revise it further.
 */
export const followComments = reaction(
  'pulls follow comments',
  commentCreated,
  (tx, { repo_id, data }) => {
    if (repo_id === null) return
    touchPull(tx, repo_id, data.number)
    const pull = findPull(tx.db, repo_id, data.number)
    if (pull && pull.agent_revisions > 0 && data.review === null && tx.caller?.kind === 'user')
      setAgentRevisions(tx, pull.id, 0)
  },
)
