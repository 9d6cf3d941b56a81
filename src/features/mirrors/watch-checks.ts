/**
 * Watches whether the checks of a leading remote report results. The remote is asked only while five
 * pushes wait for a result, so a remote whose checks work gets few requests.
 */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { RemoteError } from '#git'
import { applyFact } from './apply-fact.ts'
import { openCredentials } from './remote.ts'
import { hasReported, isKnownProvider } from './status-api.ts'
import { setMirror, type MirrorRow } from './store.ts'
import { listWaiting, removeWaiting, type WaitingPush } from './store-waiting.ts'
import { areChecksSilent, MIN_WAITING } from './waiting-pushes.ts'

const MAX_WAITING = 100

/** Reads the checks of the newest pushes, and applies the result to the state of the link. */
export async function watchChecks(
  hearth: Hearth,
  row: MirrorRow,
  signal: AbortSignal,
): Promise<void> {
  if (row.role !== 'leader' || !['standing_by', 'ci_failover'].includes(row.state)) return
  const waiting = listWaiting(hearth.db, row.id, MAX_WAITING)
  if (waiting.length < MIN_WAITING && row.checks_silent === 0) return
  const reported = await findReported(hearth, row, waiting.slice(0, MIN_WAITING), signal)
  if (reported === null) return
  await writeAs(hearth, null, (tx) => {
    if (reported !== 'none') {
      removeWaiting(tx, row.id, reported.event_id)
      setMirror(tx, row.id, { checks_seen_at: tx.now })
    }
    const silent =
      reported === 'none' &&
      (row.checks_silent === 1 || areChecksSilent({ hearth, seen_at: row.checks_seen_at }, waiting))
    applyFact(tx, row.id, { kind: 'checks', silent }, { epoch: row.epoch })
  })
}

/** The newest of these pushes with a result. Null when the remote cannot be asked. */
async function findReported(
  hearth: Hearth,
  row: MirrorRow,
  pushes: readonly WaitingPush[],
  signal: AbortSignal,
): Promise<WaitingPush | 'none' | null> {
  const { provider, url } = row
  if (!isKnownProvider(provider)) return null
  try {
    const from = { provider, url, secret: openCredentials(hearth, row) }
    for (const push of pushes) {
      const has = await hasReported(hearth, from, push.sha, signal)
      if (has === null) return null
      if (has) return push
    }
    return 'none'
  } catch (error) {
    if (signal.aborted || !(error instanceof OutboundError || error instanceof RemoteError))
      throw error
    return null
  }
}
