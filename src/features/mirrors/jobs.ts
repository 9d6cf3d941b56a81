/** The jobs of mirrors. They store nothing between runs but what they saw, so a restart loses none. */
import { handler } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job, type Job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { GitError, RemoteError } from '#git'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { DAY, MINUTE, SECOND, timestamp } from '#lib/time.ts'
import { applyFact, applyProbe } from './apply-fact.ts'
import { followRemote } from './follow-remote.ts'
import { enqueueReport, reportChecks } from './report-checks.ts'
import { beginHandBack, handBack } from './hand-back.ts'
import { probeRemote } from './probe-remote.ts'
import { handBackRequested, requestSync, syncRequested } from './request-work.ts'
import { runAlone } from './running-work.ts'
import { findMirror, listDueProbes, listDueSyncs, setMirror, type MirrorRow } from './store.ts'
import { removeOldKeptRefs } from './store-refs.ts'
import { LinkChanged, SYNC_INTERVAL_MS } from './sync-options.ts'
import { pushFollower } from './push-follower.ts'
import { watchChecks } from './watch-checks.ts'

export const KEEP_REFS_DAYS = 90
const FIRST_RETRY_MS = MINUTE
const BUSY_DELAY_MS = 5 * SECOND
const LINKS_PER_SWEEP = 500
const PROBES_AT_ONCE = 32
const ROWS_PER_BATCH = 500

type SyncInput = { readonly id: string; readonly accept: boolean }

export const syncJob = job<SyncInput>({
  kind: 'sync_mirror',
  queue: 'mirrors',
  // Expected errors are handled, so an error that reaches the job runner is a bug.
  retry: ['1m'],
  run: async ({ hearth, signal }, { id, accept }) => {
    const isDone = await runAlone(hearth, id, signal, (own) => sync(hearth, id, accept, own))
    if (!isDone)
      await writeAs(hearth, null, (tx) => requestSync(tx, id, { accept, delay_ms: BUSY_DELAY_MS }))
  },
})

export const handBackJob = job<{ readonly id: string; readonly automatic: boolean }>({
  kind: 'hand_back_mirror',
  queue: 'mirrors',
  retry: ['1m'],
  run: async ({ hearth, signal }, { id, automatic }) => {
    const isDone = await runAlone(hearth, id, signal, (own) =>
      runHandBack(hearth, id, automatic, own),
    )
    if (!isDone)
      await writeAs(
        hearth,
        null,
        (tx) =>
          void tx.enqueue(handBackJob, { id, automatic }, { key: id, delay_ms: BUSY_DELAY_MS }),
      )
  },
})

/** The link, unless its repository is deleted or archived. */
function findWorking(hearth: Hearth, id: string): MirrorRow | null {
  const row = findMirror(hearth.db, id)
  const repo = row && repoById(hearth.db, row.repo_id)
  return repo && repo.deleted_at === null && repo.archived_at === null ? row : null
}

async function sync(
  hearth: Hearth,
  id: string,
  accept: boolean,
  signal: AbortSignal,
): Promise<void> {
  const row = findWorking(hearth, id)
  if (!row || row.state === 'paused' || row.state === 'failed' || row.state === 'handing_back')
    return
  await reporting(hearth, row, signal, async () => {
    if (row.role === 'leader') return await followRemote(hearth, row, { signal, accept })
    await pushFollower(hearth, row, { force: accept, signal })
    await writeAs(hearth, null, (tx) =>
      setMirror(tx, id, { sync_at: tx.now_ms + SYNC_INTERVAL_MS }),
    )
  })
}

async function runHandBack(
  hearth: Hearth,
  id: string,
  automatic: boolean,
  signal: AbortSignal,
): Promise<void> {
  let row = findWorking(hearth, id)
  if (!row) return
  await reporting(hearth, row, signal, async () => {
    if (row?.state === 'takeover' && automatic) row = await beginHandBack(hearth, row, signal)
    if (row?.state !== 'handing_back') return
    await handBack(hearth, row, signal)
    // The remote has the commits of the takeover now, and their results follow.
    await writeAs(hearth, null, (tx) => enqueueReport(tx, id, null))
  })
}

/** The remote learns the key of a new link from a person, who has just read it. */
const waitsForKey = (row: MirrorRow, error: unknown): boolean =>
  row.ssh_key !== null && error instanceof RemoteError && error.status === 401

/** Runs work on a link. A fault of the remote is stored with the link, and tried again later. */
async function reporting(
  hearth: Hearth,
  row: MirrorRow,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof LinkChanged) return
    // A change of the link aborts its work; when the process stops, the job runs again.
    if (signal.aborted) {
      if (findMirror(hearth.db, row.id)?.epoch !== row.epoch) return
      throw error
    }
    const isKnown = error instanceof GitError || error instanceof OutboundError
    if (!isKnown) hearth.log.error('work on a mirror failed', { mirror: row.id, error })
    const wait = error instanceof RemoteError ? (error.retryAfterMs ?? 0) : 0
    await writeAs(hearth, null, (tx) => {
      const now = findMirror(tx.db, row.id)
      // A hand-back raises the epoch itself, and its failure concerns the state that it began.
      if (!now || (now.epoch !== row.epoch && now.state !== 'handing_back')) return
      const delay = now.state === 'setting_up' ? FIRST_RETRY_MS : SYNC_INTERVAL_MS
      setMirror(tx, row.id, {
        last_error: isKnown ? error.message : 'an internal error',
        sync_at: tx.now_ms + Math.max(wait, delay),
      })
      if (now.state === 'handing_back') applyFact(tx, row.id, { kind: 'hand_back_failed' })
      else if (!waitsForKey(now, error)) applyFact(tx, row.id, { kind: 'fetch_failed' })
    })
  }
}

/** Probes remotes, starts syncs that are due, and deletes tips that were kept for long. */
export const watchMirrors = job({
  kind: 'watch_mirrors',
  queue: 'probes',
  every: '15s',
  run: async ({ hearth, signal }) => {
    const due = listDueProbes(hearth.db, hearth.clock.now(), LINKS_PER_SWEEP)
    const next = due[Symbol.iterator]()
    const worker = async (): Promise<void> => {
      for (const row of next) await probe(hearth, row, signal)
    }
    await Promise.all(Array.from({ length: PROBES_AT_ONCE }, worker))
    const syncs = listDueSyncs(hearth.db, hearth.clock.now(), LINKS_PER_SWEEP)
    if (syncs.length > 0)
      await writeAs(hearth, null, (tx) => {
        for (const { id } of syncs) {
          requestSync(tx, id)
          setMirror(tx, id, { sync_at: tx.now_ms + SYNC_INTERVAL_MS })
        }
      })
    const before = timestamp(hearth.clock.now() - KEEP_REFS_DAYS * DAY)
    while (
      (await writeAs(hearth, null, (tx) => removeOldKeptRefs(tx, before, ROWS_PER_BATCH))) >=
      ROWS_PER_BATCH
    )
      if (signal.aborted) return
  },
})

async function probe(hearth: Hearth, row: MirrorRow, signal: AbortSignal): Promise<void> {
  try {
    const found = await probeRemote(hearth, row, signal)
    await writeAs(hearth, null, (tx) => applyProbe(tx, row, found))
    const now = found.reached ? findMirror(hearth.db, row.id) : null
    if (now) await watchChecks(hearth, now, signal)
  } catch (error) {
    if (signal.aborted) throw error
    hearth.log.error('a probe of a mirror failed', { mirror: row.id, error })
  }
}

const onSyncRequested = handler(
  'syncs of mirrors',
  syncRequested,
  (tx, { id, accept, delay_ms }) =>
    void tx.enqueue(syncJob, { id, accept }, { key: accept ? `${id} accept` : id, delay_ms }),
)

const onHandBackRequested = handler(
  'hand-backs of mirrors',
  handBackRequested,
  (tx, { id, automatic }) => void tx.enqueue(handBackJob, { id, automatic }, { key: id }),
)

export const handlers = [onSyncRequested, onHandBackRequested]
export const jobs = [syncJob, handBackJob, watchMirrors, reportChecks] as Job[]
