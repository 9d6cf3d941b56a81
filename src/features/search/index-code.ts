/**
 * Indexes the code of one branch, from the root down. Unchanged folders are skipped, and a folder
 * is marked as complete after everything in it is indexed. So a push costs only its changes, and an
 * interrupted run continues where it stopped.
 */
import type { Hearth } from '#core/hearth.ts'
import { GitError, type Oid, type TreeEntry } from '#git'
import {
  fileLanguage,
  isGenerated,
  readRef,
  wikiPages,
  type RepoRow,
} from '#features/repos/index.ts'
import { WIKI_REF } from './wiki-ref.ts'
import type { SearchIndex } from './search-index.ts'
import type { NewBlob } from './store-code.ts'

/** Larger files are not searched. */
export const MAX_FILE_BYTES = 1024 * 1024
/** Blobs that are read concurrently, and the size of one index transaction. */
const MAX_CONCURRENT_BLOBS = 8
const MAX_BATCH_BYTES = 2 * 1024 * 1024
const MAX_BATCH_FILES = 200
/** Of larger folders the first entries are searched: listing more would hold the event loop. */
export const MAX_FOLDER_ENTRIES = 50_000
/** Folders deeper than this are not indexed. */
const MAX_DEPTH = 200

export type IndexedTotals = { files: number; bytes: number }

type IndexTask = {
  readonly hearth: Hearth
  readonly index: SearchIndex
  readonly store: string
  readonly commit: Oid
  readonly tree: number
  readonly taken: IndexedTotals
  /** Whether a file of this path is indexed. */
  readonly isSearched: (path: string) => boolean
}

/**
 * Updates a branch in the index. It yields where other work may run. `ref` is empty for the default
 * branch, and `WIKI_REF` for the wiki, of which only pages are indexed.
 */
export async function* indexCode(
  hearth: Hearth,
  index: SearchIndex,
  repo: RepoRow,
  ref: string,
): AsyncGenerator<IndexedTotals> {
  const taken: IndexedTotals = { files: 0, bytes: 0 }
  const [wiki] = wikiPages.all(hearth)
  const commit =
    ref === WIKI_REF
      ? (wiki?.headOf(hearth.db, repo.id) ?? null)
      : readRef(hearth.db, repo.id, `refs/heads/${ref === '' ? repo.default_branch : ref}`)
  if (commit === null) {
    const known = await index.writer.call('findTree', [repo.id, ref])
    if (known) yield* removeTreeInSteps(index, known.id, taken)
    return
  }
  const root = await hearth.git.readCommit(repo.store, commit)
  if (!root) return
  const tree = await index.writer.call('beginTree', [repo.id, ref, commit, hearth.clock.now()])
  if (tree.done) return
  yield* indexFolder(
    {
      hearth,
      index,
      store: repo.store,
      commit,
      tree: tree.id,
      taken,
      isSearched: (path) => ref !== WIKI_REF || (wiki?.pageOf(path) ?? null) !== null,
    },
    '',
    root.tree,
    0,
  )
  await index.writer.call('endTree', [tree.id, commit])
}

export async function* removeTreeInSteps(
  index: SearchIndex,
  tree: number,
  taken: IndexedTotals,
): AsyncGenerator<IndexedTotals> {
  while (await index.writer.call('removeTree', [tree])) yield taken
}

async function* indexFolder(
  task: IndexTask,
  path: string,
  oid: Oid,
  depth: number,
): AsyncGenerator<IndexedTotals> {
  const { hearth, index, store, commit, tree, taken } = task
  const entries =
    depth > MAX_DEPTH
      ? []
      : ((await hearth.git.listTree(store, commit, path, {
          sizes: true,
          limit: MAX_FOLDER_ENTRIES,
        })) ?? [])
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const folders = entries
    .filter(({ type }) => type === 'dir')
    .map((entry) => ({ path: at(entry.name), oid: entry.oid }))
  const files = entries.filter(
    ({ type, size, name }) =>
      type === 'file' && size !== null && size <= MAX_FILE_BYTES && task.isSearched(at(name)),
  )
  const { folders: changed, missing } = await index.writer.call('openFolder', [
    tree,
    path,
    folders,
    files.map((file) => file.oid),
  ])
  const oids = new Map(folders.map((folder) => [folder.path, folder.oid]))
  for (const folder of changed) yield* indexFolder(task, folder, oids.get(folder) ?? '', depth + 1)

  const wanted = new Set(missing)
  const news: TreeEntry[] = []
  for (const file of files) if (wanted.delete(file.oid)) news.push(file)
  for (const batch of batchFiles(news)) {
    await index.writer.call('putBlobs', [await readBlobs(task, batch)])
    taken.files += batch.length
    taken.bytes += batch.reduce((sum, { size }) => sum + (size ?? 0), 0)
    yield taken
  }
  await index.writer.call('putFolder', [
    tree,
    { path, oid },
    files.map(({ name, oid: blob }) => ({
      name,
      oid: blob,
      language: fileLanguage(name),
      generated: isGenerated(at(name)),
    })),
    folders.map((folder) => folder.path),
  ])
  yield taken
}

function* batchFiles(files: readonly TreeEntry[]): Generator<TreeEntry[]> {
  let batch: TreeEntry[] = []
  let bytes = 0
  for (const file of files) {
    if (
      batch.length > 0 &&
      (bytes + (file.size ?? 0) > MAX_BATCH_BYTES || batch.length >= MAX_BATCH_FILES)
    ) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(file)
    bytes += file.size ?? 0
  }
  if (batch.length > 0) yield batch
}

async function readBlobs(
  { hearth, store }: IndexTask,
  files: readonly TreeEntry[],
): Promise<NewBlob[]> {
  const blobs: NewBlob[] = []
  for (let at = 0; at < files.length; at += MAX_CONCURRENT_BLOBS) {
    blobs.push(
      ...(await Promise.all(
        files
          .slice(at, at + MAX_CONCURRENT_BLOBS)
          .map(async ({ oid, size, name }): Promise<NewBlob> => {
            const data = await hearth.git.readBlob(store, oid, MAX_FILE_BYTES).then(
              (blob) => blob?.data ?? null,
              (error: unknown) => {
                // An unreadable blob is left out of the search.
                if (error instanceof GitError) return null
                throw error
              },
            )
            return { oid, size: size ?? 0, data, language: fileLanguage(name) }
          }),
      )),
    )
  }
  return blobs
}
