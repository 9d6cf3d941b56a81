/** Asking for a queue to be moved on. The work itself is in `drive.ts`. */
import type { Hearth } from '#core/hearth.ts'
import { job, type JobContext } from '#core/jobs.ts'
import type { Tx } from '#core/write.ts'
import { writeAs } from '#core/write.ts'
import { drive } from './drive.ts'
import type { Place } from './store.ts'

const keyOf = ({ repo_id, base_ref }: Place): string => `${repo_id} ${base_ref}`

/** Queues that this process moves on now; `again` when something happened meanwhile. */
const driven = new WeakMap<Hearth, Map<string, { again: boolean }>>()

/**
 * Moves one queue on. There is one at work for each queue; a second one has the first go round once
 * more.
 */
export const driveQueue = job<Place>({
  kind: 'drive_queue',
  retry: ['2s', '10s', '1m', '5m'],
  run: (context, { repo_id, base_ref }) => alone(context, { repo_id, base_ref }),
})

async function alone({ hearth, signal }: JobContext, place: Place): Promise<void> {
  let all = driven.get(hearth)
  if (!all) driven.set(hearth, (all = new Map()))
  const key = keyOf(place)
  const other = all.get(key)
  if (other) {
    other.again = true
    return
  }
  const mine = { again: true }
  all.set(key, mine)
  try {
    while (mine.again) {
      mine.again = false
      await drive(hearth, place, signal)
    }
  } finally {
    all.delete(key)
  }
}

/** Has a queue moved on as soon as this transaction is on disk. */
export const driveSoon = (tx: Tx, { repo_id, base_ref }: Place): void =>
  void tx.enqueue(driveQueue, { repo_id, base_ref }, { key: keyOf({ repo_id, base_ref }) })

/**
 * Has a queue moved on at a later moment. A kind of its own: what waits for a moment must not keep
 * what happens now from being seen.
 */
export const wakeQueue = job<Place>({
  kind: 'wake_queue',
  run: ({ hearth }, place) => writeAs(hearth, null, (tx) => driveSoon(tx, place)),
})

/** A window may be changed, so nothing waits longer than this for one to open. */
const LONGEST_MS = 6 * 60 * 60_000

export function driveAt(tx: Tx, place: Place, at: number): void {
  const delay_ms = Math.min(LONGEST_MS, Math.max(1_000, at - tx.now_ms + 500))
  tx.enqueue(
    wakeQueue,
    { repo_id: place.repo_id, base_ref: place.base_ref },
    { key: `${keyOf(place)} ${at}`, delay_ms },
  )
}
