/** Branches that are deleted take their instances with them. */
import { reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { branchRef, gitPush, requireRepo } from '#features/repos/index.ts'
import { hasInstancesOnRef, removeInstancesOfRef, settleStates } from './store-alerts.ts'
import { DAY } from '#lib/time.ts'
import { expireUploads } from './store-analyses.ts'

const BATCH = 200
const KEEP_FILES_MS = 90 * DAY

const removeBatch = (hearth: Hearth, repo_id: string, ref: string): Promise<number> =>
  writeAs(hearth, null, (tx) => {
    const alerts = removeInstancesOfRef(tx, repo_id, ref, BATCH)
    settleStates(tx, alerts, branchRef(requireRepo(tx.db, repo_id).default_branch))
    return alerts.length
  })

export const forgetBranch = job<{ repo_id: string; ref: string }>({
  kind: 'forget_scanned_branch',
  queue: 'security',
  run: async ({ hearth, signal }, { repo_id, ref }) => {
    while ((await removeBatch(hearth, repo_id, ref)) === BATCH) signal.throwIfAborted()
  },
})

export const followBranches = reaction(
  'alerts of a deleted branch end',
  gitPush,
  (tx, { repo_id, data }) => {
    if (repo_id !== null && data.deleted && hasInstancesOnRef(tx.db, repo_id, data.ref))
      tx.enqueue(forgetBranch, { repo_id, ref: data.ref })
  },
)

/** Lets go of the files of old uploads. The blob sweep deletes them. */
export const sweepUploads = job<null>({
  kind: 'sweep_sarif_uploads',
  every: '1d',
  run: async ({ hearth, signal }) => {
    const sweep = () => writeAs(hearth, null, (tx) => expireUploads(tx, KEEP_FILES_MS, BATCH))
    while (!signal.aborted && (await sweep()) === BATCH);
  },
})
