/**
 * Pull requests that a push to their base completed: every commit of the head is part of the base
 * now, and was not before. A head that had nothing of its own, such as a fork nobody pushed to, is
 * not merged by that.
 */
import type { Oid } from '#git'
import { job, type JobContext } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { contextOf } from './context.ts'
import { afterMerge } from './settle.ts'
import {
  findPullById,
  isActive,
  listActiveByBase,
  listClosedByDeletion,
  setMerged,
  type PullRow,
} from './store.ts'

export type BaseMoved = {
  repo_id: string
  base_ref: string
  before: Oid
  after: Oid
  actor_id: string | null
  time: string
}

/** The commits that come with a pull request into code's history; more are not noted one by one. */
export const MOST_LANDED = 5_000

export const settlePulls = job<BaseMoved>({
  kind: 'settle_pulls',
  run: async (context, input) => {
    const { db } = context.hearth
    // A branch may be deleted by the same push, or right after it, before this job had its turn.
    const candidates = [
      ...listActiveByBase(db, input.repo_id, input.base_ref),
      ...listClosedByDeletion(db, input.repo_id, input.base_ref, input.time),
    ]
    const gained = await gainedBy(context, input)
    for (const pull of candidates) {
      if (context.signal.aborted) throw new Error('stopped')
      if (pull.head_sha !== null && (await gained(pull.head_sha)))
        await settle(context, input, pull)
    }
  },
})

/**
 * Whether a commit came into the base with this push. One walk answers for all pull requests,
 * unless the push is huge.
 */
async function gainedBy(
  { hearth: { db, git } }: JobContext,
  { repo_id, before, after }: BaseMoved,
): Promise<(oid: Oid) => boolean | Promise<boolean>> {
  const repo = repoById(db, repo_id)
  if (!repo) return () => false
  const commits = await git.log(repo.store, {
    tips: [after],
    hide: [before],
    limit: MOST_LANDED + 1,
  })
  if (commits.length > MOST_LANDED)
    return async (oid) =>
      (await git.isReachable(repo.store, oid, [after])) &&
      !(await git.isReachable(repo.store, oid, [before]))
  const oids = new Set(commits.map(({ oid }) => oid))
  return (oid) => oids.has(oid)
}

async function settle(
  { hearth }: JobContext,
  { repo_id, before, after, actor_id }: BaseMoved,
  pull: PullRow,
): Promise<void> {
  const repo = repoById(hearth.db, repo_id)
  const head = pull.head_sha
  if (!repo || head === null) return
  const landed = (
    await hearth.git.log(repo.store, { tips: [head], hide: [before], limit: MOST_LANDED })
  ).map(({ oid }) => oid)
  await writeAs(hearth, null, (tx) => {
    const now = findPullById(tx.db, pull.id)
    // Merged, closed or pushed to meanwhile: then this is not about what it is now.
    if (
      !now ||
      now.head_sha !== head ||
      now.status !== pull.status ||
      !(isActive(now) || now.closed_because === 'branch_deleted')
    )
      return
    const merge = { by: actor_id, commit: after, method: null }
    // What was before is what it was merged into: its changes are shown against that.
    setMerged(tx, now, merge, before)
    afterMerge(tx, contextOf(tx.db, repo_id), now, {
      ...merge,
      landed,
      keep_issue_open: false,
      as: { actor_id },
    })
  })
}
