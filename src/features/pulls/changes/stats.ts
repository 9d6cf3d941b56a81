/**
 * Statistics of a pull request that need git. They are computed once for a pair of commits and
 * stored, because a list must not run thirty diffs. A list shows what is stored and enqueues a job
 * for the rest.
 */
import { GitError, type Git, type Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { withoutDeadline } from '#core/principal.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { instructionPathsOf } from './instruction-paths.ts'
import { removedFolders } from './removed-folders.ts'
import { ownedPaths, type OwnedPaths } from './owners.ts'
import { mergeFacts } from '../extension-points.ts'
import { findPullById, isActive, listActiveByBase, type PullRow } from '../store-pulls.ts'
import { setOwners } from './store-owners.ts'
import { statsKnown } from '../internal-events.ts'
import {
  findLatestStats,
  findStats,
  presentStats,
  listTouchedPaths,
  setStats,
  setTouches,
  type Stats,
  type Touch,
} from './store-stats.ts'
import { diffId, MAX_TOUCHED_PATHS, touchesOf } from './touched-lines.ts'

/** Larger files are compared by their blob ids only. */
const DIFF_LIMITS = { maxLines: 20_000, maxBytes: 2 * 1024 * 1024 }

/** The change of a head against its merge base. */
type HeadChange = Pick<Stats, 'files' | 'additions' | 'deletions' | 'diff_id'> & {
  readonly paths: readonly string[]
}

export type ComputedStats = {
  readonly stats: Stats
  readonly owned: readonly OwnedPaths[]
  /** The index of touched paths; null when the stored index is still right. */
  readonly index: { readonly touches: readonly Touch[]; readonly folders: readonly string[] } | null
}

/**
 * Stats of the same head on an earlier base. The change is the same as long as the merge base is.
 */
export type EarlierStats = { readonly stats: Stats; readonly paths: readonly string[] }

/**
 * Compares a head with its base: the change, the commits behind, conflicts, and the owners of
 * changed paths.
 */
export async function computeStats(
  hearth: Pick<Hearth, 'git' | 'services'>,
  { store }: { readonly store: string },
  base: Oid,
  head: Oid,
  earlier: EarlierStats | null = null,
): Promise<ComputedStats> {
  const { git } = hearth
  const { ahead, behind, mergeBase } = await git.countAheadBehind(store, head, base)
  const holds =
    earlier !== null &&
    earlier.stats.head_sha === head &&
    earlier.stats.merge_base_sha === mergeBase &&
    earlier.stats.files < MAX_TOUCHED_PATHS
  const { index, change } = holds
    ? { index: null, change: { ...earlier.stats, paths: earlier.paths } }
    : await compareHead(git, store, mergeBase, head)
  const merged = behind === 0 || ahead === 0 ? null : await git.previewMerge(store, base, head)
  const paths = new Set(change.paths)
  const meanwhile =
    behind === 0
      ? []
      : (await git.diff(store, mergeBase, base, { hunks: false })).files.flatMap(
          ({ path, old_path }) => [path, ...(old_path === null ? [] : [old_path])],
        )
  const stats: Stats = {
    base_sha: base,
    head_sha: head,
    merge_base_sha: mergeBase,
    commits: ahead,
    files: change.files,
    additions: change.additions,
    deletions: change.deletions,
    behind,
    conflict_paths: merged && 'conflicts' in merged ? merged.conflicts : null,
    touched_paths: [...new Set(meanwhile)]
      .filter((path) => paths.has(path))
      .sort()
      .slice(0, 1_000),
    diff_id: change.diff_id,
    instruction_paths: instructionPathsOf(change.paths),
  }
  return {
    stats,
    index,
    owned: await ownedPaths(hearth, store, base, change.paths),
  }
}

async function compareHead(
  git: Git,
  store: string,
  merge_base: Oid | null,
  head: Oid,
): Promise<{ index: ComputedStats['index']; change: HeadChange }> {
  const { files, totals } = await git.diff(store, merge_base, head, {
    hunks: true,
    limit: MAX_TOUCHED_PATHS,
    ...DIFF_LIMITS,
  })
  const paths = files.flatMap(({ path, old_path }) =>
    old_path === null ? [path] : [path, old_path],
  )
  return {
    index: { touches: touchesOf(files), folders: await removedFolders(git, store, head, files) },
    change: {
      files: totals.files,
      additions: totals.additions,
      deletions: totals.deletions,
      diff_id: diffId(files),
      paths,
    },
  }
}

/**
 * Stores computed stats in place of older ones. Without effect when the pull request moved
 * meanwhile.
 */
export function storeStats(
  tx: Tx,
  pull: Pick<PullRow, 'id' | 'repo_id' | 'base_sha' | 'head_sha'>,
  { stats, index, owned }: ComputedStats,
): void {
  if (pull.base_sha !== stats.base_sha || pull.head_sha !== stats.head_sha) return
  setStats(tx, pull.id, stats)
  if (index !== null) setTouches(tx, pull, index)
  setOwners(tx, pull.id, stats, owned)
}

/** Computations that run now, by pull request and pair of commits, so that each runs once. */
const computations = service('pull stats', () => new Map<string, Promise<Stats>>())

/**
 * The stats of the present pair of commits, computed when they are missing. Null before the first
 * push.
 */
export async function freshStats(hearth: Hearth, pull: PullRow): Promise<Stats | null> {
  const { head_sha, base_sha } = pull
  if (head_sha === null) return null
  const known = findStats(hearth.db, pull)
  if (known) {
    await refreshMergeFacts(hearth, pull)
    return known
  }
  const inFlight = computations(hearth)
  const key = `${pull.id} ${base_sha} ${head_sha}`
  const waiting = inFlight.get(key)
  if (waiting) return waiting
  const mine = withoutDeadline(() => computeAndStore(hearth, pull, base_sha, head_sha)).finally(
    () => inFlight.delete(key),
  )
  inFlight.set(key, mine)
  return mine
}

async function computeAndStore(
  hearth: Hearth,
  pull: PullRow,
  base: Oid,
  head: Oid,
): Promise<Stats> {
  const repo = repoById(hearth.db, pull.repo_id)
  if (!repo) throw new Error(`the repository of ${pull.id} is gone`)
  const before = findLatestStats(hearth.db, pull.id)
  const computed = await computeStats(
    hearth,
    repo,
    base,
    head,
    before && { stats: before, paths: listTouchedPaths(hearth.db, pull.id) },
  )
  const keepers = await computeMergeFacts(hearth, pull)
  await writeAs(hearth, null, (tx) => {
    // A push meanwhile makes this result obsolete.
    const now = findPullById(tx.db, pull.id)
    if (!now || now.base_sha !== base || now.head_sha !== head) return
    // The stored index must belong to the stats that this result was derived from.
    if (
      computed.index === null &&
      findLatestStats(tx.db, pull.id)?.diff_id !== computed.stats.diff_id
    )
      return
    storeStats(tx, now, computed)
    for (const keep of keepers) keep(tx)
    tx.emit(statsKnown, { pull_id: now.id })
  })
  return computed.stats
}

/**
 * Runs the `mergeFacts` extensions of an active pull request. Returns the functions that store
 * their results.
 */
async function computeMergeFacts(hearth: Hearth, pull: PullRow): Promise<((tx: Tx) => void)[]> {
  const keepers = isActive(pull)
    ? await Promise.all(mergeFacts.all(hearth).map((read) => read(hearth, pull)))
    : []
  return keepers.filter((keep) => keep !== null)
}

async function refreshMergeFacts(hearth: Hearth, pull: PullRow): Promise<void> {
  const keepers = await computeMergeFacts(hearth, pull)
  if (keepers.length === 0) return
  await writeAs(hearth, null, (tx) => {
    const now = findPullById(tx.db, pull.id)
    if (!now || now.base_sha !== pull.base_sha || now.head_sha !== pull.head_sha) return
    for (const keep of keepers) keep(tx)
    tx.emit(statsKnown, { pull_id: now.id })
  })
}

/** The same, but null when the commits are gone: a closed pull request outlives its fork. */
export async function statsIfAny(hearth: Hearth, pull: PullRow): Promise<Stats | null> {
  try {
    return await freshStats(hearth, pull)
  } catch (error) {
    if (error instanceof GitError && error.code === 'missing') return null
    throw error
  }
}

export const refreshPull = job<{ pull_id: string }>({
  kind: 'refresh_pull',
  retry: ['10s', '2m'],
  run: async ({ hearth }, { pull_id }) => {
    const pull = findPullById(hearth.db, pull_id)
    if (pull) await statsIfAny(hearth, pull)
  },
})

/**
 * Recomputes the newest pull requests after their base moved, those with auto-merge first. One job
 * does all of them in turn and reads each when its turn comes, because the base may move again
 * meanwhile.
 */
export const refreshPulls = job<{ repo_id: string; base_ref: string }>({
  kind: 'refresh_pulls',
  retry: ['10s', '2m'],
  run: async ({ hearth, signal }, { repo_id, base_ref }) => {
    const newest = listActiveByBase(hearth.db, repo_id, base_ref).slice(0, MAX_REFRESHED_PULLS)
    let failed: unknown = null
    for (const { id } of newest.toSorted((a, b) => b.auto_merge - a.auto_merge)) {
      if (signal.aborted) throw new Error('the process is stopping')
      const pull = findPullById(hearth.db, id)
      if (!pull || !isActive(pull) || findStats(hearth.db, pull) !== null) continue
      await statsIfAny(hearth, pull).catch((error: unknown) => (failed ??= error))
    }
    if (failed !== null) throw failed
  },
})

/**
 * Pull requests recomputed after a move of their base. Others are recomputed when they are read.
 */
const MAX_REFRESHED_PULLS = 100

/** Enqueues the computation of missing stats, once per pull request. */
export function enqueueStats(tx: Tx, pull: Pick<PullRow, 'id' | 'head_sha'>): void {
  if (pull.head_sha !== null) tx.enqueue(refreshPull, { pull_id: pull.id }, { key: pull.id })
}

/** Enqueues the missing stats of a list in one write. Does not write when none are missing. */
export async function enqueueMissingStats(
  hearth: Hearth,
  pulls: readonly PullRow[],
): Promise<void> {
  const active = pulls.filter((pull) => isActive(pull) && pull.head_sha !== null)
  if (active.length === 0) return
  const known = presentStats(hearth.db, active)
  const missing = active.filter(({ id }) => !known.has(id))
  if (missing.length > 0)
    await writeAs(hearth, null, (tx) => missing.forEach((pull) => enqueueStats(tx, pull)))
}
