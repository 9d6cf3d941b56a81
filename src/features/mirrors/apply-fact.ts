/** Applies facts to links: stores the next state, its event, and what has to be done. */
import { actorId } from '#core/caller.ts'
import type { Tx } from '#core/write.ts'
import { deployHoldsChanged, requireRepo } from '#features/repos/index.ts'
import { MINUTE, timestamp, type Timestamp } from '#lib/time.ts'
import { mirrorStateChanged } from './events.ts'
import { nextLink, type LinkEffect, type LinkFact, type LinkState } from './link-state.ts'
import { notifyStateChange } from './notify.ts'
import { runWaiting } from './waiting-pushes.ts'
import { abortWork } from './running-work.ts'
import { requestHandBack, requestSync } from './request-work.ts'
import { adoptRemoteRefs, clearTakeover, keepRemoteRefs, recordTakeover } from './store-refs.ts'
import {
  findMirror,
  removeMirror,
  setLink,
  setMirror,
  setStateChanged,
  type MirrorRow,
} from './store.ts'

const toMs = (time: Timestamp | null): number | null => (time === null ? null : Date.parse(time))
const toTime = (ms: number | null): Timestamp | null => (ms === null ? null : timestamp(ms))

const linkOf = (row: MirrorRow): LinkState => ({
  role: row.role,
  state: row.state,
  paused_from: row.paused_from,
  epoch: row.epoch,
  reachable: row.reachable === 1,
  reachable_since: toMs(row.reachable_since),
  unreachable_since: toMs(row.unreachable_since),
  first_failed_at: toMs(row.first_failed_at),
  probes_failed: row.probes_failed,
  probes_passed: row.probes_passed,
  setup_failures: row.setup_failures,
  checks_silent: row.checks_silent === 1,
})

/**
 * Applies a fact. Returns false when the link is gone, has another `epoch`, or does not accept the
 * fact in its state. Nothing has changed then.
 */
export function applyFact(
  tx: Tx,
  id: string,
  fact: LinkFact,
  { epoch }: { readonly epoch?: number } = {},
): boolean {
  const row = findMirror(tx.db, id)
  if (!row || (epoch !== undefined && row.epoch !== epoch)) return false
  const step = nextLink(linkOf(row), fact, row)
  if (!step) return false
  const { link } = step
  const isRemoved = step.effects.includes('remove')
  if (!isRemoved)
    setLink(tx, id, {
      ...link,
      reachable: link.reachable ? 1 : 0,
      checks_silent: link.checks_silent ? 1 : 0,
      reachable_since: toTime(link.reachable_since),
      unreachable_since: toTime(link.unreachable_since),
      first_failed_at: toTime(link.first_failed_at),
    })
  if (link.state !== row.state || isRemoved) changeState(tx, row, isRemoved ? null : link)
  if (row.state === 'handing_back' && link.state === 'standing_by') clearTakeover(tx, id)
  for (const effect of step.effects) runEffect(tx, row, effect)
  return true
}

function changeState(tx: Tx, row: MirrorRow, link: LinkState | null): void {
  setStateChanged(tx, row.id, tx.caller && actorId(tx.caller))
  const { workspace_id } = requireRepo(tx.db, row.repo_id)
  tx.append(
    mirrorStateChanged,
    { workspace_id, repo_id: row.repo_id },
    {
      mirror: row.id,
      name: row.name,
      role: link?.role ?? row.role,
      previous: row.state,
      state: link?.state ?? null,
    },
  )
  tx.emit(deployHoldsChanged, { repo_id: row.repo_id })
  if (link !== null) notifyStateChange(tx, row, link)
  // Work that began before would change nothing any more.
  if (tx.caller !== null) tx.afterCommit(() => abortWork(tx.hearth, row.id))
}

function runEffect(tx: Tx, row: MirrorRow, effect: LinkEffect): void {
  switch (effect) {
    case 'sync':
      return requestSync(tx, row.id)
    case 'record_refs':
      return recordTakeover(tx, row.id, row.repo_id)
    case 'adopt_refs':
      return adoptRemoteRefs(tx, row.id)
    case 'run_waiting':
      return runWaiting(tx, row)
    case 'remove':
      return removeLink(tx, row)
    case 'hand_back':
      return requestHandBack(tx, row.id, false)
    case 'try_hand_back':
      return requestHandBack(tx, row.id, true)
  }
}

/** Deletes a link with its event. */
export function deleteLink(tx: Tx, row: MirrorRow): void {
  changeState(tx, row, null)
  removeLink(tx, row)
}

/** Commits that only the remote had are kept for 90 days. */
function removeLink(tx: Tx, row: MirrorRow): void {
  keepRemoteRefs(tx, row.id, row.repo_id)
  removeMirror(tx, row.id)
}

const PROBE_REACHABLE_MS = MINUTE
const PROBE_UNREACHABLE_MS = MINUTE / 4

/** Applies the result of a probe, and plans the next one. */
export function applyProbe(
  tx: Tx,
  row: MirrorRow,
  probe: { readonly reached: boolean; readonly problem: string | null },
): void {
  if (!applyFact(tx, row.id, { kind: 'probed', reached: probe.reached, at: tx.now_ms })) return
  setMirror(tx, row.id, {
    probe_at: tx.now_ms + (probe.reached ? PROBE_REACHABLE_MS : PROBE_UNREACHABLE_MS),
    ...(probe.problem !== null && { last_error: probe.problem }),
  })
}
