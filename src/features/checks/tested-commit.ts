/** Builds the commit that checks run on, and writes its files to disk. */
import type { Hearth } from '#core/hearth.ts'
import type { Git, TreeEntry } from '#git'
import { writeCheckout, type CheckoutEntry } from '#runner'
import { mergeToTest } from './merge-to-test.ts'
import type { RunRow } from './store.ts'

/** The commit cannot be tested; the message is for people. */
export class Untestable extends Error {}

const FILES_PER_READ = 16
const MAX_BYTES_AT_ONCE = 1024 ** 2
const MAX_FILES = 300_000

/**
 * The merge of head and base, or the head itself when it contains the base. Throws `Untestable` for
 * conflicts.
 */
export async function testedCommit(hearth: Hearth, store: string, run: RunRow): Promise<string> {
  if (run.merge_sha !== null && run.base_sha === null) return run.merge_sha
  const { head_sha: head, base_sha: base } = run
  if (base === null) throw new Untestable('there is no base to merge it with')
  const landing = await mergeToTest(hearth, store, {
    head,
    base,
    mailbox: 'checks',
    at: run.created_at,
  })
  if ('conflicts' in landing) {
    const paths = landing.conflicts.slice(0, 5).join(', ')
    throw new Untestable(
      `there is nothing to test: it conflicts with its base in ${paths}${landing.conflicts.length > 5 ? ' and more' : ''}`,
    )
  }
  return landing.commit
}

/** The content of small files is read ahead; larger ones are streamed one after the other. */
async function* entriesOf(
  git: Git,
  store: string,
  entries: readonly TreeEntry[],
): AsyncGenerator<CheckoutEntry> {
  const isLarge = ({ size }: TreeEntry): boolean => (size ?? 0) > MAX_BYTES_AT_ONCE
  const small = entries.filter((entry) => !isLarge(entry))
  for (let at = 0; at < small.length; at += FILES_PER_READ)
    yield* await Promise.all(
      small.slice(at, at + FILES_PER_READ).map((entry) => contentOf(git, store, entry)),
    )
  for (const entry of entries.filter(isLarge)) {
    const range = { start: 0, length: entry.size ?? 0 }
    yield { ...fileOf(entry), data: await git.streamBlob(store, entry.oid, range) }
  }
}

const fileOf = ({ path, mode }: TreeEntry) => ({
  path,
  kind: 'file' as const,
  executable: mode === '100755',
})

async function contentOf(git: Git, store: string, entry: TreeEntry): Promise<CheckoutEntry> {
  const { path, type, oid } = entry
  // Submodules are not fetched.
  if (type === 'submodule') return { path, kind: 'folder' }
  const blob = await git.readBlob(store, oid)
  if (!blob) throw new Untestable(`the content of ${path} is missing`)
  return type === 'symlink'
    ? { path, kind: 'link', target: blob.data }
    : { ...fileOf(entry), data: blob.data }
}

/** Files that differ from those of a commit, by path. Null is a deleted file. */
export type FileContents = ReadonlyMap<string, Uint8Array | null>

async function* withChanges(
  entries: AsyncGenerator<CheckoutEntry>,
  changes: FileContents,
  executable: ReadonlySet<string>,
): AsyncGenerator<CheckoutEntry> {
  yield* entries
  for (const [path, data] of changes)
    if (data !== null) yield { path, kind: 'file', executable: executable.has(path), data }
}

/** Writes the files of a commit, with changes, into a folder without a repository around them. */
export async function checkOut(
  { git }: Pick<Hearth, 'git'>,
  store: string,
  commit: string,
  folder: string,
  mostBytes: number,
  changes: FileContents = new Map(),
): Promise<void> {
  const tree = (await git.listTree(store, commit, '', { recursive: true, sizes: true })) ?? []
  const entries = tree.filter(({ type, path }) => type !== 'dir' && !changes.has(path))
  const executable = new Set(tree.filter(({ mode }) => mode === '100755').map(({ path }) => path))
  const bytes = entries.reduce((sum, { size }) => sum + (size ?? 0), 0)
  if (entries.length > MAX_FILES)
    throw new Untestable(`it has ${entries.length} files; at most ${MAX_FILES} can be checked out`)
  if (bytes > mostBytes)
    throw new Untestable(
      `its files have ${bytes} bytes, more than the ${mostBytes} that commands may use here`,
    )
  const unchanged = entriesOf(git, store, entries)
  await writeCheckout(folder, withChanges(unchanged, changes, executable))
}
