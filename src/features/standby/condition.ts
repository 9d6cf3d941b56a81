/** The state of the standby: one line for administrators, and metrics. */
import type { Condition, Gauge } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { replication, type ReplicationStatus } from '#core/replication.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { SECOND } from '#lib/time.ts'

/** A standby that is so far behind needs attention. */
const MAX_LAG_MS = 30 * SECOND

const standbyCondition = (state: Condition['state'], detail: string): Condition => ({
  name: 'standby',
  state,
  detail,
  href: null,
})

const seconds = (ms: number): string => `${(ms / SECOND).toFixed(1)} s`

/** Null without a standby. */
export function condition(hearth: Hearth): Condition | null {
  const status = replication(hearth).readStatus()
  const { role, term, standby, refusal, lag_ms, lag_bytes, lag_commits, is_complete } = status
  if (role === 'alone') return null
  if (refusal !== null) return standbyCondition('failing', `Term ${term}: ${refusal}.`)
  if (standby === null)
    return standbyCondition(
      'attention',
      `This is the primary of term ${term}. No standby follows it.`,
    )
  if (!is_complete)
    return standbyCondition(
      'attention',
      `This is the primary of term ${term}. ${standby} fetches what it lacks and cannot take over yet.`,
    )
  return standbyCondition(
    lag_ms > MAX_LAG_MS ? 'attention' : 'ok',
    `This is the primary of term ${term}. ${standby} follows, ${lag_commits === 0 ? 'with every change' : `${lag_commits} changes (${bytesText(lag_bytes)}, ${seconds(lag_ms)}) behind`}.`,
  )
}

const gauge = (name: string, help: string, read: (status: ReplicationStatus) => number): Gauge => ({
  name: `standby_${name}`,
  help,
  read: (hearth) => read(replication(hearth).readStatus()),
})

export const standbyGauges: readonly Gauge[] = [
  gauge('term', 'The number of take-overs of this pair of machines, and one.', ({ term }) => term),
  gauge('connected', '1 while a standby follows with all files.', ({ is_complete }) =>
    Number(is_complete),
  ),
  gauge(
    'lag_seconds',
    'Age of the oldest change that the standby has not confirmed.',
    ({ lag_ms }) => lag_ms / SECOND,
  ),
  gauge(
    'lag_bytes',
    'Bytes of changes that the standby has not confirmed.',
    ({ lag_bytes }) => lag_bytes,
  ),
  gauge('writable', '0 while this machine refuses changes because of its standby.', ({ refusal }) =>
    Number(refusal === null),
  ),
]
