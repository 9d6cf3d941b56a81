/** The queue as records. */
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { checksOfRun } from '#features/checks/index.ts'
import { contextOf, findPull } from '#features/pulls/index.ts'
import { timestamp } from '#lib/time.ts'
import { isQueued, limitsOf } from './queue-settings.ts'
import type { MergeQueue, QueueEntry } from './schema.ts'
import {
  findPause,
  listBases,
  listDurations,
  listSettled,
  listWaiting,
  positionOf,
  type EntryRow,
  type QueueKey,
} from './store.ts'

const MAX_RECENT_ENTRIES = 20
/** Landed entries whose test durations are averaged for estimates. */
const MAX_DURATIONS = 20

export function entryRecord(
  hearth: Hearth,
  entry: EntryRow,
  estimated_at: string | null = estimateLandings(hearth, entry).get(entry.id) ?? null,
): QueueEntry {
  const { db } = hearth
  const pull = findPull(db, entry.repo_id, entry.number)
  const checks = entry.run_id === null ? null : checksOfRun(hearth, entry.run_id)
  return {
    id: entry.id,
    pull: {
      number: entry.number,
      title: pull?.title ?? '',
      author: actorOf(hearth, pull?.author_id ?? entry.queued_by),
    },
    position: positionOf(db, entry),
    state: entry.state,
    attempt: entry.attempt,
    method: entry.method,
    base_sha: entry.base_sha,
    head_sha: entry.head_sha,
    candidate_sha: entry.candidate_sha,
    candidate_tree: entry.candidate_tree,
    checks: checks ?? {
      sha: entry.head_sha,
      status: 'none',
      merge_sha: entry.candidate_sha,
      started_at: null,
      finished_at: null,
      message: null,
      results: [],
    },
    reason: entry.reason,
    note: entry.note,
    queued_by: actorOf(hearth, entry.queued_by),
    queued_at: entry.queued_at,
    started_at: entry.started_at,
    settled_at: entry.settled_at,
    estimated_at,
  }
}

export function queueRecord(hearth: Hearth, queue: QueueKey): MergeQueue {
  const context = contextOf(hearth.db, queue.repo_id)
  const pause = findPause(hearth.db, queue)
  const known = estimateLandings(hearth, queue)
  return {
    enabled: isQueued(hearth, context, queue.base_ref),
    base: queue.base_ref,
    bases: listBases(hearth.db, queue.repo_id),
    paused: pause && {
      by: actorOf(hearth, pause.paused_by),
      at: pause.paused_at,
      reason: pause.reason,
    },
    waiting: listWaiting(hearth.db, queue).map((entry) =>
      entryRecord(hearth, entry, known.get(entry.id) ?? null),
    ),
    recent: listSettled(hearth.db, queue, MAX_RECENT_ENTRIES).map((entry) =>
      entryRecord(hearth, entry, null),
    ),
  }
}

/**
 * When each entry may land. Tests are assumed to take as long as lately, as many at once as there
 * are slots; landing takes no time.
 */
function estimateLandings(hearth: Hearth, queue: QueueKey): Map<string, string> {
  const known = new Map<string, string>()
  const entries = listWaiting(hearth.db, queue)
  const durations =
    entries.length === 0 || findPause(hearth.db, queue)
      ? []
      : listDurations(hearth.db, queue, MAX_DURATIONS).sort((a, b) => a - b)
  const usual = durations[Math.floor(durations.length / 2)]
  if (usual === undefined) return known
  const { slots } = limitsOf(hearth, contextOf(hearth.db, queue.repo_id), queue.base_ref)
  const now = hearth.clock.now()
  const ends: number[] = []
  let last = now
  for (const entry of entries) {
    const tested = entry.state === 'passed' || entry.state === 'landing'
    // A waiting entry starts when the next slot is free.
    const begins =
      entry.state === 'testing' && entry.started_at !== null
        ? Date.parse(entry.started_at)
        : Math.max(
            now,
            ends.length < slots ? now : (ends.sort((a, b) => a - b)[ends.length - slots] ?? now),
          )
    const end = tested ? now : Math.max(now, begins + usual)
    if (!tested) ends.push(end)
    last = Math.max(last, end)
    known.set(entry.id, timestamp(last))
  }
  return known
}
