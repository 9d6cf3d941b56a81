/**
 * Pushes of a leading remote for which no check result has been seen. When the remote or its checks
 * fail, workflows run here for the newest push of each branch.
 */
import { reaction } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Tx } from '#core/write.ts'
import { gitPush, workflowsFailedOver } from '#features/repos/index.ts'
import { HOUR, MINUTE, timestamp } from '#lib/time.ts'
import { leaderOf } from './link-state.ts'
import { findLeader, findMirror, type MirrorRow } from './store.ts'
import { insertWaiting, listWaiting, trimWaiting, type WaitingPush } from './store-waiting.ts'
import { ownMoves } from './sync-options.ts'

const MAX_WAITING = 100
/** While the remote cannot be reached, older pushes do not run: it has probably checked them. */
const MAX_AGE_MS = HOUR
export const MIN_WAITING = 5
const SILENT_FOR_MS = 30 * MINUTE

/** Branches that the mirror itself moved while the remote leads. */
export const rememberPushes = reaction(
  'mirrors remember pushes whose checks the remote has to report',
  gitPush,
  (tx, { id, repo_id, data }) => {
    if (repo_id === null || !ownMoves(tx.hearth).has(tx)) return
    if (data.after === null || !data.ref.startsWith('refs/heads/')) return
    const row = findLeader(tx.db, repo_id)
    if (!row || leaderOf(row) !== 'remote' || row.state === 'setting_up') return
    insertWaiting(tx, { mirror_id: row.id, event_id: id, ref: data.ref, sha: data.after })
    trimWaiting(tx, row.id, MAX_WAITING)
  },
)

/** Runs workflows here for the newest push of each branch. */
export function runWaiting(tx: Tx, { id, repo_id }: MirrorRow): void {
  const isSilent = findMirror(tx.db, id)?.checks_silent === 1
  const after = isSilent ? '' : timestamp(tx.now_ms - MAX_AGE_MS)
  const newest = new Map<string, WaitingPush>()
  for (const push of listWaiting(tx.db, id, MAX_WAITING))
    if (push.fetched_at >= after && !newest.has(push.ref)) newest.set(push.ref, push)
  if (newest.size > 0)
    tx.emit(workflowsFailedOver, {
      repo_id,
      event_ids: [...newest.values()].map(({ event_id }) => event_id),
    })
}

/**
 * Whether at least five pushes have waited for half an hour, in which no result came. Pushes are
 * given newest first.
 */
export function areChecksSilent(
  { hearth, seen_at }: { readonly hearth: Pick<Hearth, 'clock'>; readonly seen_at: string | null },
  waiting: readonly WaitingPush[],
): boolean {
  const before = timestamp(hearth.clock.now() - SILENT_FOR_MS)
  const fifth = waiting.at(-MIN_WAITING)
  // A remote that never reported anything may have no checks at all.
  return seen_at !== null && seen_at <= before && fifth !== undefined && fifth.fetched_at <= before
}
