/**
 * Scans the whole history of a repository for secrets, in slices from the oldest commits to the
 * newest. The slices and how many are done are stored, so a scan goes on after a restart.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  branchOf,
  customRules,
  findSecrets,
  listRefs,
  recordSecrets,
  repoById,
  tagOf,
  type RepoRow,
} from '#features/repos/index.ts'
import type { Oid } from '#git'
import { timestamp } from '#lib/time.ts'
import { findScan, setScan, type ScanRow } from './store.ts'

/** So many commits of the default branch are one slice. */
const COMMITS_PER_SLICE = 2000
const MAX_SLICES = 500
/** All other refs are the last slice; more than so many are left out. */
const MAX_OTHER_REFS = 5000
/** The most findings of a slice. */
const MAX_MATCHES = 20_000

/** The commits of all branches and tags. */
export async function listScannedTips({ db, git }: Hearth, row: RepoRow): Promise<Oid[]> {
  const refs = listRefs(db, row.id).filter(
    ({ name }) => branchOf(name) !== null || tagOf(name) !== null,
  )
  const tips: Oid[] = []
  for (const { oid } of refs.slice(0, MAX_OTHER_REFS)) {
    const commit = await git.peelToCommit(row.store, oid)
    if (commit !== null) tips.push(commit)
  }
  return [...new Set(tips)]
}

/** Tips of the slices: each reaches what the ones before it do not. */
async function planSlices(hearth: Hearth, row: RepoRow): Promise<Oid[][]> {
  const { db, git } = hearth
  const main = listRefs(db, row.id).find(({ name }) => branchOf(name) === row.default_branch)
  const slices: Oid[][] = []
  if (main) {
    const total = await git.countCommits(row.store, { tips: [main.oid] })
    const steps = Math.min(MAX_SLICES, Math.floor(total / COMMITS_PER_SLICE))
    const size = Math.ceil(total / (steps + 1))
    for (let step = steps; step > 0; step--) {
      const [commit] = await git.log(row.store, {
        tips: [main.oid],
        skip: step * size,
        limit: 1,
      })
      if (commit) slices.push([commit.oid])
    }
    slices.push([main.oid])
  }
  const others = await listScannedTips(hearth, row)
  return others.length === 0 ? slices : [...slices, others]
}

const setProgress = (
  hearth: Hearth,
  repo_id: string,
  change: (scan: ScanRow) => Partial<ScanRow>,
): Promise<void> =>
  writeAs(hearth, null, (tx) => {
    const scan = findScan(tx.db, repo_id)
    if (scan) setScan(tx, repo_id, { ...scan, ...change(scan) })
  })

async function scan(hearth: Hearth, row: RepoRow, signal: AbortSignal): Promise<void> {
  const stored = findScan(hearth.db, row.id)
  if (stored?.state !== 'queued' && stored?.state !== 'running') return
  let slices = JSON.parse(stored.tips) as Oid[][]
  if (stored.state === 'queued') {
    slices = await planSlices(hearth, row)
    await setProgress(hearth, row.id, () => ({ state: 'running', tips: JSON.stringify(slices) }))
  }
  for (let at = (JSON.parse(stored.finished) as number[]).length; at < slices.length; at++) {
    const { found, commits } = await findSecrets(
      hearth.git,
      row.store,
      { tips: slices[at] ?? [], hide: slices.slice(0, at).flat() },
      { custom: customRules(hearth, row), limits: { matches: MAX_MATCHES } },
      signal,
    )
    await recordSecrets(hearth, row, 'history', found, signal)
    const secrets = new Set(found.map(({ type, secret }) => `${type} ${secret}`)).size
    await setProgress(hearth, row.id, (before) => ({
      finished: JSON.stringify(Array.from({ length: at + 1 }, (_, slice) => slice)),
      commits: before.commits + commits,
      alerts: before.alerts + secrets,
    }))
  }
  await setProgress(hearth, row.id, () => ({
    state: 'complete',
    finished_at: timestamp(hearth.clock.now()),
  }))
}

export const scanHistoryJob = job<{ repo_id: string }>({
  kind: 'scan_history',
  queue: 'history',
  run: async ({ hearth, signal, attempt }, { repo_id }) => {
    const row = repoById(hearth.db, repo_id)
    if (!row || row.deleted_at !== null) return
    try {
      await scan(hearth, row, signal)
    } catch (error) {
      if (attempt >= MAX_ATTEMPTS && !signal.aborted)
        await setProgress(hearth, repo_id, () => ({
          state: 'failed',
          finished_at: timestamp(hearth.clock.now()),
        }))
      throw error
    }
  },
})

/** As many as a job has by default. */
const MAX_ATTEMPTS = 5
