/**
 * What git says of a pull request. Computed once for a pair of commits and kept, because a list
 * must not diff thirty pull requests: it shows what is known, and asks for the rest through a job.
 */
import { GitError, type Git, type Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { look } from '#core/look.ts'
import { withoutDeadline } from '#core/work.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { goneFolders } from './folders.ts'
import { ownedPaths, type OwnedPaths } from './owners.ts'
import { mergeFacts } from './points.ts'
import { findPullById, isActive, listActiveByBase, type PullRow } from './store.ts'
import { setOwners } from './store-owners.ts'
import { statsKnown } from './signals.ts'
import {
  findLatestStats,
  findStats,
  keepStatsOf,
  listTouchedPaths,
  setStats,
  setTouches,
  type Stats,
  type Touch,
} from './store-stats.ts'
import { diffId, MOST_TOUCHES, touchesOf } from './touches.ts'

/** Larger files are compared by their content only. */
const LIMITS = { maxLines: 20_000, maxBytes: 2 * 1024 * 1024 }

/** What a head changes, whatever has happened on its base since. */
type Change = Pick<Stats, 'files' | 'additions' | 'deletions' | 'diff_id'> & {
  readonly paths: readonly string[]
}

export type Computed = {
  readonly stats: Stats
  readonly owned: readonly OwnedPaths[]
  /** The index of what it touches; null when what is kept of it still holds. */
  readonly index: { readonly touches: readonly Touch[]; readonly folders: readonly string[] } | null
}

/**
 * What was found for the same head on an earlier base: as long as the two part at the same commit,
 * it changes the same.
 */
export type Earlier = { readonly stats: Stats; readonly paths: readonly string[] }

/**
 * Compares a head with its base: what it changes, how far it is behind, whether it merges, and who
 * owns what it changes.
 */
export async function computeStats(
  { git }: Pick<Hearth, 'git'>,
  { store }: { readonly store: string },
  base: Oid,
  head: Oid,
  earlier: Earlier | null = null,
): Promise<Computed> {
  const { ahead, behind, mergeBase } = await git.aheadBehind(store, head, base)
  const holds =
    earlier !== null &&
    earlier.stats.head_sha === head &&
    earlier.stats.merge_base_sha === mergeBase &&
    earlier.stats.files < MOST_TOUCHES
  const { index, change } = holds
    ? { index: null, change: { ...earlier.stats, paths: earlier.paths } }
    : await lookAt(git, store, mergeBase, head)
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
  }
  return {
    stats,
    index,
    owned: await ownedPaths(
      { git },
      store,
      base,
      index?.touches.map(({ path }) => path) ?? change.paths,
    ),
  }
}

async function lookAt(
  git: Git,
  store: string,
  merge_base: Oid | null,
  head: Oid,
): Promise<{ index: Computed['index']; change: Change }> {
  const { files, totals } = await git.diff(store, merge_base, head, {
    hunks: true,
    limit: MOST_TOUCHES,
    ...LIMITS,
  })
  const paths = files.flatMap(({ path, old_path }) =>
    old_path === null ? [path] : [path, old_path],
  )
  return {
    index: { touches: touchesOf(files), folders: await goneFolders(git, store, head, files) },
    change: {
      files: totals.files,
      additions: totals.additions,
      deletions: totals.deletions,
      diff_id: diffId(files),
      paths,
    },
  }
}

/** Keeps what was computed, in place of what was known. */
export function keepStats(
  tx: Tx,
  pull: Pick<PullRow, 'id' | 'repo_id' | 'base_sha' | 'head_sha'>,
  { stats, index, owned }: Computed,
): void {
  if (pull.base_sha !== stats.base_sha || pull.head_sha !== stats.head_sha) return
  setStats(tx, pull.id, stats)
  if (index !== null) setTouches(tx, pull, index)
  setOwners(tx, pull.id, stats, owned)
}

const running = new WeakMap<Hearth, Map<string, Promise<Stats>>>()

/**
 * The stats of the present pair of commits, computed now when they are missing; null before the
 * first push.
 */
export async function freshStats(hearth: Hearth, pull: PullRow): Promise<Stats | null> {
  const { head_sha, base_sha } = pull
  if (head_sha === null) return null
  const known = findStats(hearth.db, pull)
  if (known) {
    await keepFacts(hearth, pull)
    return known
  }
  let inFlight = running.get(hearth)
  if (!inFlight) running.set(hearth, (inFlight = new Map()))
  const key = `${pull.id} ${base_sha} ${head_sha}`
  const waiting = inFlight.get(key)
  if (waiting) return waiting
  const mine = withoutDeadline(() => computeAndKeep(hearth, pull, base_sha, head_sha)).finally(() =>
    inFlight.delete(key),
  )
  inFlight.set(key, mine)
  return mine
}

async function computeAndKeep(hearth: Hearth, pull: PullRow, base: Oid, head: Oid): Promise<Stats> {
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
  const keepers = await readFacts(hearth, pull)
  await writeAs(hearth, null, (tx) => {
    // A push meanwhile makes this an answer to a question that nobody asks any more.
    const now = findPullById(tx.db, pull.id)
    if (!now || now.base_sha !== base || now.head_sha !== head) return
    // What is kept of what it touches must be of the very stats that this rests on.
    if (
      computed.index === null &&
      findLatestStats(tx.db, pull.id)?.diff_id !== computed.stats.diff_id
    )
      return
    keepStats(tx, now, computed)
    for (const keep of keepers) keep(tx)
    tx.signal(statsKnown, { pull_id: now.id })
  })
  return computed.stats
}

/**
 * What later features have to read of the present pair of commits, as far as it is not known yet.
 */
async function readFacts(hearth: Hearth, pull: PullRow): Promise<((tx: Tx) => void)[]> {
  const keepers = isActive(pull)
    ? await Promise.all(mergeFacts.all(hearth).map((read) => read(hearth, pull)))
    : []
  return keepers.filter((keep) => keep !== null)
}

async function keepFacts(hearth: Hearth, pull: PullRow): Promise<void> {
  const keepers = await readFacts(hearth, pull)
  if (keepers.length === 0) return
  await writeAs(hearth, null, (tx) => {
    const now = findPullById(tx.db, pull.id)
    if (!now || now.base_sha !== pull.base_sha || now.head_sha !== pull.head_sha) return
    for (const keep of keepers) keep(tx)
    tx.signal(statsKnown, { pull_id: now.id })
  })
}

/**
 * The same for pages that must open even when the commits are gone: a closed pull request outlives
 * its fork.
 */
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
 * After the base moved: the newest again, one after the other, first those that merge by
 * themselves, which may wait for just that. They are one job and not one each, because the base may
 * move again while they are at it; each is looked at as it is at its turn.
 */
export const refreshPulls = job<{ repo_id: string; base_ref: string }>({
  kind: 'refresh_pulls',
  retry: ['10s', '2m'],
  run: async ({ hearth, signal }, { repo_id, base_ref }) => {
    const newest = listActiveByBase(hearth.db, repo_id, base_ref).slice(0, MOST_REFRESHED)
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
 * So many are looked at again after their base moved, the newest; the others when someone looks at
 * them.
 */
const MOST_REFRESHED = 100

/** Has missing stats computed soon. Waiting for the same pull request happens once. */
export function askForStats(tx: Tx, pull: Pick<PullRow, 'id' | 'head_sha'>): void {
  if (pull.head_sha !== null) tx.enqueue(refreshPull, { pull_id: pull.id }, { key: pull.id })
}

/** For lists: one write for all rows whose stats are missing, none when all are there. */
export async function askForMissing(hearth: Hearth, pulls: readonly PullRow[]): Promise<void> {
  const active = pulls.filter((pull) => isActive(pull) && pull.head_sha !== null)
  const missing = look(hearth.db, () => {
    keepStatsOf(
      hearth.db,
      active.map(({ id }) => id),
    )
    return active.filter((pull) => findStats(hearth.db, pull) === null)
  })
  if (missing.length > 0)
    await writeAs(hearth, null, (tx) => missing.forEach((pull) => askForStats(tx, pull)))
}
