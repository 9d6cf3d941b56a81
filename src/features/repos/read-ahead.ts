/**
 * After a push to a default branch: the last commits of its folders and the lines of its busiest
 * files are found before anybody asks. What a push left as it was costs nothing; the first time
 * waits until the history of a large repository has its index.
 */
import { job, type JobContext } from '#core/jobs.ts'
import type { Oid } from '#git'
import { blameOf } from './blame-cache.ts'
import { keptHistory } from './store-history.ts'
import { findLastCommits } from './last-commits.ts'
import { headCommit } from './resolve.ts'
import { repoById } from './store.ts'

/** Pushes come in bursts. */
export const READ_AHEAD_AFTER_MS = 3_000

/** With more commits than this, what was never found before is left until there is an index. */
const SHORT_HISTORY = 2_000
/** Folders near the root, and files that the latest commits changed most. */
const MOST_FOLDERS = 60
const BUSY = { commits: 2_000, paths: 48 } as const
/**
 * Bytes of a file that people read line by line. Whoever wants to know of a larger one waits, and
 * all others are spared its weight in memory.
 */
const LARGEST_FILE = 1 << 20
/** A push that changes more is looked at when somebody asks. */
const MOST_CHANGED = 500
/** Longer than this nobody's history is read ahead at once. */
const LONGEST_MS = 120_000

const parentsOf = (path: string): string[] => {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'))
}

/** The folders nearest to the root, whose entries are files as a rule; breadth first. */
async function topFolders(
  { hearth: { git } }: JobContext,
  store: string,
  commit: Oid,
): Promise<string[]> {
  const found = ['']
  for (let at = 0; at < found.length && found.length < MOST_FOLDERS; at++) {
    const folder = found[at] ?? ''
    for (const { name, type } of (await git.tree(store, commit, folder)) ?? []) {
      if (type === 'dir' && found.length < MOST_FOLDERS)
        found.push(folder === '' ? name : `${folder}/${name}`)
    }
  }
  return found
}

/** What a push changed among what is known already: only that is found anew. */
async function changed(
  { hearth }: JobContext,
  store: string,
  before: Oid,
  commit: Oid,
): Promise<{ folders: string[]; files: string[] } | null> {
  const { files } = await hearth.git.diff(store, before, commit, { hunks: false })
  if (files.length > MOST_CHANGED) return null
  const disk = keptHistory(hearth)
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

async function everything(
  context: JobContext,
  store: string,
  commit: Oid,
): Promise<{ folders: string[]; files: string[] }> {
  return {
    folders: await topFolders(context, store, commit),
    files: [...(await context.hearth.git.busyPaths(store, commit, BUSY))],
  }
}

async function isLong(
  { hearth: { git } }: JobContext,
  store: string,
  commit: Oid,
): Promise<boolean> {
  return (await git.log(store, { tips: [commit], skip: SHORT_HISTORY, limit: 1 })).length > 0
}

export const readAhead = job<{ repo_id: string; indexed?: boolean }>({
  kind: 'read_ahead',
  lane: 'history',
  retry: [],
  run: async (context, { repo_id, indexed = false }) => {
    const { hearth, signal } = context
    const row = repoById(hearth.db, repo_id)
    const commit = row && row.deleted_at === null ? headCommit(hearth, row) : null
    if (!row || commit === null) return
    const { store } = row
    const before = keptHistory(hearth).latest('folder', store, '')
    const part =
      before === null || before === commit ? null : await changed(context, store, before, commit)
    if (indexed) {
      // What was left until there is an index is made up for, once.
      if (keptHistory(hearth).listPaths('blame', store).length >= BUSY.paths / 2) return
    } else if (part === null && (await isLong(context, store, commit))) return
    const { folders, files } = (indexed ? null : part) ?? (await everything(context, store, commit))
    const until = performance.now() + LONGEST_MS
    const over = (): boolean => signal.aborted || performance.now() > until
    for (const folder of folders) {
      if (over()) return
      await findLastCommits(hearth, store, commit, folder)
    }
    for (const path of files) {
      if (over()) return
      if (((await hearth.git.entry(store, commit, path))?.size ?? Infinity) > LARGEST_FILE) continue
      await blameOf(hearth, store, commit, path).catch(() => {
        // No file of text, or too large: whoever asks for it hears why.
      })
    }
  },
})
