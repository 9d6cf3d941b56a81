/**
 * Whether the checks of a remote that leads report anything. It is asked only while five pushes
 * wait, so a remote whose checks work costs a few requests now and then.
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

/** Looks at the checks of the newest pushes, and applies what was seen. */
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

/** The newest of these pushes whose checks said something. Null when that cannot be known. */
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
