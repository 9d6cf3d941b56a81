/**
 * The summary of a repository's history (`HistorySummary`), cached on disk by commit. A first visit
 * waits a moment, which is enough for most repositories. A job counts the rest in slices, so that
 * one long history does not delay others. After a push, only the new commits are counted.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { withoutDeadline } from '#core/principal.ts'
import { service } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import type { HistorySummary, Oid } from '#git'
import { MINUTE } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'
import { InFlight } from '../blame/in-flight.ts'
import { headCommit } from '../refs/resolve-commit.ts'
import { historyCache } from '../store/history-cache.ts'
import { repoById } from '../store/repos.ts'

export type CountedHistory = { readonly summary: HistorySummary; readonly isComplete: boolean }

/** What a first visit counts, and how long it waits for that. */
const FIRST_SLICE_MS = 500
const FIRST_WAIT_MS = 1_500
const SLICE_MS = 4_000
/** One run of the job. Then other repositories get their turn. */
const MAX_RUN_MS = MINUTE

const NOTHING: CountedHistory = {
  summary: { head: null, walked: 0, total: 0, weeks: [], authors: 0, contributors: [] },
  isComplete: false,
}

const runningSlices = service('running history slices', () => new InFlight<CountedHistory>())
/** The stores that a job of this process counts. */
const countedStores = service('counted histories', () => new Set<string>())

const readState = (hearth: Hearth, store: string): Uint8Array | null => {
  const [latest] = historyCache(hearth).listOthers('history_state', store, '')
  return typeof latest?.value === 'string' ? Buffer.from(latest.value, 'base64') : null
}

const countSlice = (
  hearth: Hearth,
  store: string,
  head: Oid,
  maxMs: number,
): Promise<CountedHistory> =>
  runningSlices(hearth).run(store, async () => {
    const { state, ...counted } = await withoutDeadline(() =>
      hearth.git.summarizeHistory(store, head, {
        state: readState(hearth, store),
        maxMs,
        nowMs: hearth.clock.now(),
      }),
    )
    const stored = historyCache(hearth)
    const commit = counted.summary.head ?? head
    stored.replace('history_state', store, '', commit, Buffer.from(state).toString('base64'))
    stored.replace('history', store, '', commit, counted)
    return counted
  })

/** The latest counts, perhaps of an earlier commit or of a part of the history. */
const findLatest = (hearth: Hearth, store: string): CountedHistory | null =>
  (historyCache(hearth).listOthers('history', store, '')[0]?.value as CountedHistory) ?? null

const isDone = (counted: CountedHistory | null, head: Oid): boolean =>
  counted?.isComplete === true && counted.summary.head === head

/** Counts the history of a default branch to its end. */
export const summarizeHistory = job<{ repo_id: string }>({
  kind: 'summarize_history',
  queue: 'history',
  retry: [],
  run: async ({ hearth, signal }, { repo_id }) => {
    const row = repoById(hearth.db, repo_id)
    const head = row && row.deleted_at === null ? headCommit(hearth, row) : null
    if (!row || head === null) return
    const { store } = row
    countedStores(hearth).add(store)
    try {
      const until = performance.now() + MAX_RUN_MS
      while (!isDone(findLatest(hearth, store), head)) {
        if (signal.aborted) return
        if (performance.now() > until) return await enqueueSummary(hearth, repo_id)
        const before = findLatest(hearth, store)?.summary
        const { summary } = await countSlice(hearth, store, head, SLICE_MS)
        // Without a cache on disk nothing would ever be complete.
        if (findLatest(hearth, store) === null) return
        if (before?.head === summary.head && before.walked === summary.walked && before.total > 0)
          return
      }
    } finally {
      countedStores(hearth).delete(store)
    }
  },
})

const enqueueSummary = (hearth: Hearth, repo_id: string): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    tx.enqueue(summarizeHistory, { repo_id }, { key: repo_id })
  })

/** After a push: extends a summary that somebody has read. */
export const hasSummary = (hearth: Hearth, store: string): boolean =>
  historyCache(hearth).latest('history', store, '') !== null

/** The summary of a commit, as far as it is counted. Begins to count when it is not complete. */
export async function historySummary(
  hearth: Hearth,
  repo: { readonly id: string; readonly store: string },
  head: Oid,
): Promise<CountedHistory> {
  const { store } = repo
  const latest = findLatest(hearth, store)
  if (latest && isDone(latest, head)) return latest
  if (countedStores(hearth).has(store)) return latest ?? NOTHING
  const counted = await withTimeout(
    countSlice(hearth, store, head, FIRST_SLICE_MS),
    FIRST_WAIT_MS,
    () => null,
  )
  if (counted && isDone(counted, head)) return counted
  countedStores(hearth).add(store)
  await enqueueSummary(hearth, repo.id).catch((error: unknown) => {
    countedStores(hearth).delete(store)
    throw error
  })
  return counted ?? latest ?? NOTHING
}
