/**
 * Marks pull requests as merged when a push to their base contains their head. The head must have
 * commits that the base did not have before; a fork that nobody pushed to is not merged.
 */
import type { Oid } from '#git'
import { job, type JobContext } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { contextOf } from '../pull-context.ts'
import { afterMerge } from './settle.ts'
import {
  findPullById,
  isActive,
  listActiveByBase,
  listClosedByDeletion,
  setMerged,
  type PullRow,
} from '../store-pulls.ts'

export type BaseMoved = {
  repo_id: string
  base_ref: string
  before: Oid
  after: Oid
  actor_id: string | null
  time: string
}

/** Commits of a pull request that are recorded in the history of the code. */
export const MAX_RECORDED_COMMITS = 5_000

export const settlePulls = job<BaseMoved>({
  kind: 'settle_pulls',
  run: async (context, input) => {
    const { db } = context.hearth
    // The same push, or a later one, may delete the branch before this job runs.
    const candidates = [
      ...listActiveByBase(db, input.repo_id, input.base_ref),
      ...listClosedByDeletion(db, input.repo_id, input.base_ref, input.time),
    ]
    const gained = await gainedByPush(context, input)
    for (const pull of candidates) {
      if (context.signal.aborted) throw new Error('stopped')
      if (pull.head_sha !== null && (await gained(pull.head_sha)))
        await settle(context, input, pull)
    }
  },
})

/**
 * Whether a commit became part of the base by this push. One walk serves all pull requests, unless
 * the push is very large.
 */
async function gainedByPush(
  { hearth: { db, git } }: JobContext,
  { repo_id, before, after }: BaseMoved,
): Promise<(oid: Oid) => boolean | Promise<boolean>> {
  const repo = repoById(db, repo_id)
  if (!repo) return () => false
  const commits = await git.log(repo.store, {
    tips: [after],
    hide: [before],
    limit: MAX_RECORDED_COMMITS + 1,
  })
  if (commits.length > MAX_RECORDED_COMMITS)
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
    await hearth.git.log(repo.store, { tips: [head], hide: [before], limit: MAX_RECORDED_COMMITS })
  ).map(({ oid }) => oid)
  await writeAs(hearth, null, (tx) => {
    const now = findPullById(tx.db, pull.id)
    // It was merged, closed or pushed to meanwhile, so this result is obsolete.
    if (
      !now ||
      now.head_sha !== head ||
      now.status !== pull.status ||
      !(isActive(now) || now.closed_because === 'branch_deleted')
    )
      return
    const merge = { by: actor_id, commit: after, method: null }
    // The changes of a merged pull request are shown against the base before the merge.
    setMerged(tx, now, merge, before)
    afterMerge(tx, contextOf(tx.db, repo_id), now, {
      ...merge,
      landed,
      keep_issue_open: false,
      as: { actor_id },
    })
  })
}
