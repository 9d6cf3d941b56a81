/**
 * Puts a backup into an empty directory. A mark lies in the directory until everything is there and
 * on disk, and no forge starts beside the mark; so a restore that is cut off leaves nothing that
 * could be taken for a forge. The same restore, begun again, goes on.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '#lib/disk.ts'
import { contentOf } from './read-backup.ts'
import { isSafePath, PART_BYTES, type FileEntry, type Manifest } from './manifest.ts'
import { fetchPart, unpacker } from './parts.ts'
import { BackupError, wrap, type Place } from './place.ts'
import type { Tell } from './write-backup.ts'

/** Its name says what to do to whoever finds it. */
export const UNFINISHED = 'RESTORE-UNFINISHED.json'
const PARTIAL = '.restoring'
/** The mark before it is whole: nothing else is written until it has its name. */
const UNNAMED = `${UNFINISHED}.new`
const AT_ONCE = 4

type Mark = { readonly id: string; readonly from: string }

/** The restore that did not come to its end in a directory; null when there is none. */
export function unfinishedRestore(data: string): Mark | null {
  try {
    return JSON.parse(readFileSync(join(data, UNFINISHED), 'utf8')) as Mark
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? null
      : { id: 'unknown', from: 'unknown' }
  }
}

/** Gives BackupError unless the directory is empty, or holds the beginning of this very restore. */
function requireEmpty(target: string, manifest: Manifest): void {
  if (!existsSync(target)) return
  let names: string[]
  try {
    names = readdirSync(target).filter((name) => name !== 'lost+found' && name !== UNNAMED)
  } catch (error) {
    throw wrap(target, error)
  }
  if (names.length === 0) return
  const mark = names.includes(UNFINISHED) ? unfinishedRestore(target) : null
  if (!mark)
    throw new BackupError(
      `${target} is not empty: name a directory that is, or that does not exist yet`,
    )
  if (mark.id !== manifest.id)
    throw new BackupError(
      `${target} holds the beginning of another restore (${mark.id}): empty it first`,
    )
}

async function matches(path: string, file: FileEntry): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile() || found.size !== file.size) return false
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex') === file.sha256
}

export type RestoreOptions = {
  readonly target: string
  readonly identities: readonly string[]
  /** More files to put there, such as an installation key that was kept elsewhere. */
  readonly extra?: readonly {
    readonly path: string
    readonly bytes: Uint8Array
    readonly mode: number
  }[]
}

/**
 * Gives BackupError for a target that is not empty, and for a backup that is not whole; every byte
 * is held against its sums.
 */
export async function restoreBackup(
  place: Place,
  manifest: Manifest,
  options: RestoreOptions,
  tell: Tell,
  signal: AbortSignal,
): Promise<{ files: number; paths: ReadonlySet<string> }> {
  const { target } = options
  requireEmpty(target, manifest)
  const content = await contentOf(manifest, options.identities)
  const unpack = unpacker(options.identities)
  const bytes_total = content.files.reduce((sum, { size }) => sum + size, 0)
  let files_done = 0
  let bytes_done = 0
  const folders = new Set<string>([target])
  const folder = async (path: string): Promise<void> => {
    if (folders.has(path)) return
    await folder(dirname(path))
    await mkdir(path, { recursive: true, mode: 0o700 })
    folders.add(path)
  }

  async function write(
    path: string,
    mode: number,
    modified_ms: number | null,
    blocks: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const to = join(target, path)
    await folder(dirname(to))
    const partial = join(target, PARTIAL, `${files_done}-${path.replaceAll('/', '_').slice(-100)}`)
    await rm(partial, { force: true })
    const file = await open(partial, 'wx', mode)
    try {
      for await (const block of blocks) await file.writeFile(block)
      await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
    if (modified_ms !== null) await utimes(partial, modified_ms / 1000, modified_ms / 1000)
    await rename(partial, to)
  }

  async function take(file: FileEntry): Promise<void> {
    if (!isSafePath(file.path))
      throw new BackupError(`${JSON.stringify(file.path)} is no path that may be restored`)
    if (!(await matches(join(target, file.path), file))) {
      const hasher = new Bun.CryptoHasher('sha256')
      const blocks = async function* () {
        for (const name of file.parts) {
          signal.throwIfAborted()
          const plain = await unpack(name, await fetchPart(place, manifest, name))
          hasher.update(plain)
          yield plain.length > PART_BYTES ? plain.subarray(0, PART_BYTES) : plain
        }
        // Before the file has its name: what is not as it was is never there.
        if (hasher.digest('hex') !== file.sha256)
          throw new BackupError(`${file.path} has other bytes than when it was backed up`)
      }
      await write(file.path, file.mode, file.modified_ms, blocks())
    }
    bytes_done += file.size
    tell({
      phase: 'restoring',
      files_done: ++files_done,
      files_total: content.files.length,
      bytes_done,
      bytes_total,
    })
  }

  try {
    await mkdir(target, { recursive: true, mode: 0o700 })
    const mark = await open(join(target, UNNAMED), 'w', 0o600)
    try {
      await mark.writeFile(
        `${JSON.stringify({ id: manifest.id, from: place.address } satisfies Mark)}\n`,
      )
      await mark.sync()
    } finally {
      await mark.close()
    }
    await rename(join(target, UNNAMED), join(target, UNFINISHED))
    await syncDirectory(target)
    await mkdir(join(target, PARTIAL), { recursive: true, mode: 0o700 })
    for (const name of content.folders) await folder(join(target, name))
    const queue = content.files.values()
    const ended = await Promise.allSettled(
      Array.from({ length: AT_ONCE }, async () => {
        for (const file of queue) {
          signal.throwIfAborted()
          await take(file)
        }
      }),
    )
    for (const one of ended) if (one.status === 'rejected') throw one.reason
    for (const { path, bytes, mode } of options.extra ?? [])
      await write(
        path,
        mode,
        null,
        (async function* () {
          yield bytes
        })(),
      )
    await rm(join(target, PARTIAL), { recursive: true, force: true })
    for (const path of folders) await syncDirectory(path)
    await rm(join(target, UNFINISHED))
    await syncDirectory(target)
    await syncDirectory(dirname(target)).catch(() => {})
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === undefined || signal.aborted
      ? error
      : wrap(target, error)
  }
  return { files: files_done, paths: new Set(content.files.map(({ path }) => path)) }
}
