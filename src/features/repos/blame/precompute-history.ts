/**
 * Computes last commits and blame before they are requested. After a push to the default branch, a
 * job updates the folders and the blamed files that the push changed. The first computation for a
 * large repository waits until its history has a commit-graph.
 */
import { job, type JobContext } from '#core/jobs.ts'
import type { Oid } from '#git'
import { blameFile } from './blame-cache.ts'
import { historyCache } from '../store/history-cache.ts'
import { findLastCommits } from './last-commits.ts'
import { headCommit } from '../refs/resolve-commit.ts'
import { repoById } from '../store/repos.ts'

/** Pushes come in bursts, and one run covers all of them. */
export const PRECOMPUTE_DELAY_MS = 3_000

/** With more commits than this, the first computation waits for the commit-graph. */
const MAX_UNINDEXED_COMMITS = 2_000
/**
 * The first computation covers folders near the root and the files that recent commits changed
 * most.
 */
const MAX_FOLDERS = 60
const BUSY_FILES = { commits: 2_000, paths: 48 } as const
/** Larger files are blamed only on request, because their results take much memory. */
const MAX_FILE_BYTES = 1 << 20
/** After a push that changes more files, nothing is precomputed from the diff. */
const MAX_CHANGED_FILES = 500
/** The time limit of one run. */
const MAX_RUN_MS = 120_000

const parentsOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** So many entries of a folder are looked at for folders. */
const MAX_LISTED_ENTRIES = 10_000

/** Lists the folders nearest to the root, breadth first. */
async function listTopFolders(
  { hearth: { git } }: JobContext,
  store: string,
  commit: Oid,
): Promise<string[]> {
  const found = ['']
  for (let at = 0; at < found.length && found.length < MAX_FOLDERS; at++) {
    const folder = found[at] ?? ''
    const entries = await git.listTree(store, commit, folder, { limit: MAX_LISTED_ENTRIES })
    for (const { name, type } of entries ?? []) {
      if (type === 'dir' && found.length < MAX_FOLDERS)
        found.push(folder === '' ? name : `${folder}/${name}`)
    }
  }
  return found
}

/** Lists the cached folders and blamed files that a push changed. */
async function listChangedPaths(
  { hearth }: JobContext,
  store: string,
  before: Oid,
  commit: Oid,
): Promise<{ folders: string[]; files: string[] } | null> {
  const { files } = await hearth.git.diff(store, before, commit, { hunks: false })
  if (files.length > MAX_CHANGED_FILES) return null
  const disk = historyCache(hearth)
  const blamed = new Set(disk.listPaths('blame', store))
  const listed = new Set(disk.listPaths('folder', store))
  const folders = new Set(
    files.flatMap(({ path, old_path }) => [
      '',
      ...parentsOf(path),
      ...(old_path === null ? [] : parentsOf(old_path)),
    ]),
  )
  return {
    folders: [...folders].filter((folder) => folder === '' || listed.has(folder)),
    files: files.flatMap(({ path, new_oid }) =>
      new_oid !== null && blamed.has(path) ? [path] : [],
    ),
  }
}

async function listInitialPaths(
  context: JobContext,
  store: string,
  commit: Oid,
): Promise<{ folders: string[]; files: string[] }> {
  return {
    folders: await listTopFolders(context, store, commit),
    files: [...(await context.hearth.git.findBusyPaths(store, commit, BUSY_FILES))],
  }
}

async function isLongHistory(
  { hearth: { git } }: JobContext,
  store: string,
  commit: Oid,
): Promise<boolean> {
  return (
    (await git.log(store, { tips: [commit], skip: MAX_UNINDEXED_COMMITS, limit: 1 })).length > 0
  )
}

export const precomputeHistory = job<{ repo_id: string; indexed?: boolean }>({
  kind: 'read_ahead',
  queue: 'history',
  retry: [],
  run: async (context, { repo_id, indexed = false }) => {
    const { hearth, signal } = context
    const row = repoById(hearth.db, repo_id)
    const commit = row && row.deleted_at === null ? headCommit(hearth, row) : null
    if (!row || commit === null) return
    const { store } = row
    const before = historyCache(hearth).latest('folder', store, '')
    const part =
      before === null || before === commit
        ? null
        : await listChangedPaths(context, store, before, commit)
    if (indexed) {
      // Catches up once after the commit-graph was written.
      if (historyCache(hearth).listPaths('blame', store).length >= BUSY_FILES.paths / 2) return
    } else if (part === null && (await isLongHistory(context, store, commit))) return
    const { folders, files } =
      (indexed ? null : part) ?? (await listInitialPaths(context, store, commit))
    const until = performance.now() + MAX_RUN_MS
    const over = (): boolean => signal.aborted || performance.now() > until
    for (const folder of folders) {
      if (over()) return
      await findLastCommits(hearth, store, commit, folder)
    }
    for (const path of files) {
      if (over()) return
      if (((await hearth.git.findEntry(store, commit, path))?.size ?? Infinity) > MAX_FILE_BYTES)
        continue
      await blameFile(hearth, store, commit, path).catch(() => {
        // Not a text file, or too large. A caller that requests it gets the error.
      })
    }
  },
})
