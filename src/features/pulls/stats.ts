/**
 * What git says of a pull request. Computed once for a pair of commits and kept, because a list must not diff thirty pull
 * requests: it shows what is known, and asks for the rest through a job.
 */
import { GitError, type Oid } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { repoById } from '#features/repos/index.ts'
import { goneFolders } from './folders.ts'
import { ownedPaths, type OwnedPaths } from './owners.ts'
import { mergeFacts } from './points.ts'
import { findPullById, isActive, type PullRow } from './store.ts'
import { setOwners } from './store-owners.ts'
import { statsKnown } from './signals.ts'
import { findStats, setStats, type Stats, type Touch } from './store-stats.ts'
import { diffId, MOST_TOUCHES, touchesOf } from './touches.ts'

/** Larger files are compared by their content only. */
const LIMITS = { maxLines: 20_000, maxBytes: 2 * 1024 * 1024 }

export type Computed = { readonly stats: Stats; readonly touches: readonly Touch[]; readonly folders: readonly string[]; readonly owned: readonly OwnedPaths[] }

/** Compares a head with its base: what it changes, how far it is behind, whether it merges, and who owns what it changes. */
export async function computeStats({ git }: Pick<Hearth, 'git'>, { store }: { readonly store: string }, base: Oid, head: Oid): Promise<Computed> {
  const { ahead, behind, mergeBase } = await git.aheadBehind(store, head, base)
  const { files, totals } = await git.diff(store, mergeBase, head, { hunks: true, limit: MOST_TOUCHES, ...LIMITS })
  const merged = behind === 0 || ahead === 0 ? null : await git.previewMerge(store, base, head)
  const paths = new Set(files.flatMap(({ path, old_path }) => (old_path === null ? [path] : [path, old_path])))
  const meanwhile = behind === 0 ? [] : (await git.diff(store, mergeBase, base, { hunks: false })).files.flatMap(({ path, old_path }) => [path, ...(old_path === null ? [] : [old_path])])
  const stats: Stats = {
    base_sha: base,
    head_sha: head,
    merge_base_sha: mergeBase,
    commits: ahead,
    files: totals.files,
    additions: totals.additions,
    deletions: totals.deletions,
    behind,
    conflict_paths: merged && 'conflicts' in merged ? merged.conflicts : null,
    touched_paths: [...new Set(meanwhile)].filter((path) => paths.has(path)).sort().slice(0, 1_000),
    diff_id: diffId(files),
  }
  const touches = touchesOf(files)
  const owned = await ownedPaths({ git }, store, base, touches.map(({ path }) => path))
  return { stats, touches, folders: await goneFolders(git, store, head, files), owned }
}

/** Keeps what was computed, in place of what was known. */
export function keepStats(tx: Tx, pull: Pick<PullRow, 'id' | 'repo_id' | 'base_sha' | 'head_sha'>, { stats, touches, folders, owned }: Computed): void {
  if (pull.base_sha !== stats.base_sha || pull.head_sha !== stats.head_sha) return
  setStats(tx, pull, stats, touches, folders)
  setOwners(tx, pull.id, stats, owned)
}

const running = new WeakMap<Hearth, Map<string, Promise<Stats>>>()

/** The stats of the present pair of commits, computed now when they are missing; null before the first push. */
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
  const mine = computeAndKeep(hearth, pull, base_sha, head_sha).finally(() => inFlight.delete(key))
  inFlight.set(key, mine)
  return mine
}

async function computeAndKeep(hearth: Hearth, pull: PullRow, base: Oid, head: Oid): Promise<Stats> {
  const repo = repoById(hearth.db, pull.repo_id)
  if (!repo) throw new Error(`the repository of ${pull.id} is gone`)
  const computed = await computeStats(hearth, repo, base, head)
  const keepers = await readFacts(hearth, pull)
  await writeAs(hearth, null, (tx) => {
    // A push meanwhile makes this an answer to a question that nobody asks any more.
    const now = findPullById(tx.db, pull.id)
    if (!now || now.base_sha !== base || now.head_sha !== head) return
    keepStats(tx, now, computed)
    for (const keep of keepers) keep(tx)
    tx.signal(statsKnown, { pull_id: now.id })
  })
  return computed.stats
}

/** What later features have to read of the present pair of commits, as far as it is not known yet. */
async function readFacts(hearth: Hearth, pull: PullRow): Promise<((tx: Tx) => void)[]> {
  const keepers = isActive(pull) ? await Promise.all(mergeFacts.all(hearth).map((read) => read(hearth, pull))) : []
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

/** The same for pages that must open even when the commits are gone: a closed pull request outlives its fork. */
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

/** Has missing stats computed soon. Waiting for the same pull request happens once. */
export function askForStats(tx: Tx, pull: Pick<PullRow, 'id' | 'head_sha'>): void {
  if (pull.head_sha !== null) tx.enqueue(refreshPull, { pull_id: pull.id }, { key: pull.id })
}

/** For lists: one write for all rows whose stats are missing, none when all are there. */
export async function askForMissing(hearth: Hearth, pulls: readonly PullRow[]): Promise<void> {
  const missing = pulls.filter((pull) => isActive(pull) && pull.head_sha !== null && findStats(hearth.db, pull) === null)
  if (missing.length > 0) await writeAs(hearth, null, (tx) => missing.forEach((pull) => askForStats(tx, pull)))
}
