/**
 * Takes the code of one branch into the index: from the root down, past every folder that is there
 * as it is, each folder marked when all in it is in. So a push costs what it changed, and what a
 * stop interrupts goes on where it was.
 */
import type { Hearth } from '#core/hearth.ts'
import { GitError, type Oid, type TreeEntry } from '#git'
import { fileLanguage, isGenerated, readRef, type RepoRow } from '#features/repos/index.ts'
import type { SearchIndex } from './search-index.ts'
import type { NewBlob } from './store-code.ts'

/** Larger files are not searched. */
export const LARGEST_FILE = 1024 * 1024
/**
 * Blobs that are on their way at once, and how much of them goes into one transaction of the index.
 */
const BLOBS_AT_ONCE = 8
const BYTES_AT_ONCE = 2 * 1024 * 1024
const FILES_AT_ONCE = 200
/** A tree deeper than this is no project. */
const DEEPEST = 200

export type Taken = { files: number; bytes: number }

type Task = {
  readonly hearth: Hearth
  readonly index: SearchIndex
  readonly store: string
  readonly commit: Oid
  readonly tree: number
  readonly taken: Taken
}

/**
 * Brings a branch up to date in the index. Each step ends where others may have their turn. `ref`
 * is empty for the default branch.
 */
export async function* takeCode(
  hearth: Hearth,
  index: SearchIndex,
  repo: RepoRow,
  ref: string,
): AsyncGenerator<Taken> {
  const taken: Taken = { files: 0, bytes: 0 }
  const commit = readRef(hearth.db, repo.id, `refs/heads/${ref === '' ? repo.default_branch : ref}`)
  if (commit === null) {
    const known = await index.writer.call('findTree', [repo.id, ref])
    if (known) yield* dropTree(index, known.id, taken)
    return
  }
  const root = await hearth.git.commit(repo.store, commit)
  if (!root) return
  const tree = await index.writer.call('beginTree', [repo.id, ref, commit, hearth.clock.now()])
  if (tree.done) return
  yield* takeFolder(
    { hearth, index, store: repo.store, commit, tree: tree.id, taken },
    '',
    root.tree,
    0,
  )
  await index.writer.call('endTree', [tree.id, commit])
}

export async function* dropTree(
  index: SearchIndex,
  tree: number,
  taken: Taken,
): AsyncGenerator<Taken> {
  while (await index.writer.call('removeTree', [tree])) yield taken
}

async function* takeFolder(
  task: Task,
  path: string,
  oid: Oid,
  depth: number,
): AsyncGenerator<Taken> {
  const { hearth, index, store, commit, tree, taken } = task
  const entries =
    depth > DEEPEST ? [] : ((await hearth.git.tree(store, commit, path, { sizes: true })) ?? [])
  const at = (name: string): string => (path === '' ? name : `${path}/${name}`)
  const folders = entries
    .filter(({ type }) => type === 'dir')
    .map((entry) => ({ path: at(entry.name), oid: entry.oid }))
  const files = entries.filter(
    ({ type, size }) => type === 'file' && size !== null && size <= LARGEST_FILE,
  )
  const { folders: changed, missing } = await index.writer.call('openFolder', [
    tree,
    path,
    folders,
    files.map((file) => file.oid),
  ])
  const oids = new Map(folders.map((folder) => [folder.path, folder.oid]))
  for (const folder of changed) yield* takeFolder(task, folder, oids.get(folder) ?? '', depth + 1)

  const wanted = new Set(missing)
  const news: TreeEntry[] = []
  for (const file of files) if (wanted.delete(file.oid)) news.push(file)
  for (const batch of batches(news)) {
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

function* batches(files: readonly TreeEntry[]): Generator<TreeEntry[]> {
  let batch: TreeEntry[] = []
  let bytes = 0
  for (const file of files) {
    if (
      batch.length > 0 &&
      (bytes + (file.size ?? 0) > BYTES_AT_ONCE || batch.length >= FILES_AT_ONCE)
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

async function readBlobs({ hearth, store }: Task, files: readonly TreeEntry[]): Promise<NewBlob[]> {
  const blobs: NewBlob[] = []
  for (let at = 0; at < files.length; at += BLOBS_AT_ONCE) {
    blobs.push(
      ...(await Promise.all(
        files.slice(at, at + BLOBS_AT_ONCE).map(async ({ oid, size, name }): Promise<NewBlob> => {
          const data = await hearth.git.blob(store, oid, LARGEST_FILE).then(
            (blob) => blob?.data ?? null,
            (error: unknown) => {
              // A blob that cannot be read is missing to the search, and the rest is not.
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
