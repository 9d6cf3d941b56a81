/**
 * Restores a backup into an empty directory. A marker file lies in the directory until everything
 * is on disk, and no forge starts beside it. So an interrupted restore is never mistaken for a
 * forge, and the same command resumes it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory } from '#lib/disk.ts'
import { readContent } from './read-backup.ts'
import {
  isSafePath,
  PART_BYTES,
  type BackupContent,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
import { fetchPart, createPartDecoder } from './parts.ts'
import { BackupError, toBackupError, type BackupStore } from './backup-store.ts'
import type { ReportProgress } from './write-backup.ts'

/** The marker's name tells an operator what happened. */
export const RESTORE_MARKER = 'RESTORE-UNFINISHED.json'
const PARTIAL = '.restoring'
/** The marker while it is written; no other file is written before it is renamed. */
const INCOMPLETE_MARKER = `${RESTORE_MARKER}.new`
const AT_ONCE = 4

type RestoreMarker = { readonly id: string; readonly from: string }

/** The interrupted restore in a directory; null when there is none. */
export function readRestoreMarker(data: string): RestoreMarker | null {
  try {
    return JSON.parse(readFileSync(join(data, RESTORE_MARKER), 'utf8')) as RestoreMarker
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? null
      : { id: 'unknown', from: 'unknown' }
  }
}

/** Throws BackupError unless the directory is empty or holds the beginning of this restore. */
function requireEmpty(target: string, manifest: Manifest): void {
  if (!existsSync(target)) return
  let names: string[]
  try {
    names = readdirSync(target).filter(
      (name) => name !== 'lost+found' && name !== INCOMPLETE_MARKER,
    )
  } catch (error) {
    throw toBackupError(target, error)
  }
  if (names.length === 0) return
  const mark = names.includes(RESTORE_MARKER) ? readRestoreMarker(target) : null
  if (!mark)
    throw new BackupError(
      `${target} is not empty: name a directory that is, or that does not exist yet`,
    )
  if (mark.id !== manifest.id)
    throw new BackupError(
      `${target} holds the beginning of another restore (${mark.id}): empty it first`,
    )
}

/** Whether a file was already restored, with the right bytes. */
async function isRestored(path: string, file: FileEntry): Promise<boolean> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile() || found.size !== file.size) return false
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex') === file.sha256
}

export type RestoreOptions = {
  readonly target: string
  readonly identities: readonly string[]
  /** Additional files, such as an installation key that was stored separately. */
  readonly extra?: readonly {
    readonly path: string
    readonly bytes: Uint8Array
    readonly mode: number
  }[]
}

/**
 * Throws BackupError for a target that is not empty and for a damaged backup. All bytes are checked
 * against their hashes.
 */
export async function restoreBackup(
  store: BackupStore,
  manifest: Manifest,
  options: RestoreOptions,
  tell: ReportProgress,
  signal: AbortSignal,
): Promise<{ files: number; paths: ReadonlySet<string> }> {
  const { target } = options
  requireEmpty(target, manifest)
  const content = await readContent(manifest, options.identities)
  const restore = new Restore(store, manifest, content, options, tell, signal)
  try {
    await restore.run()
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === undefined || signal.aborted
      ? error
      : toBackupError(target, error)
  }
  return { files: restore.filesDone, paths: new Set(content.files.map(({ path }) => path)) }
}

class Restore {
  filesDone = 0
  #bytesDone = 0
  readonly #bytesTotal: number
  readonly #decode
  readonly #target: string
  readonly #folders: Set<string>

  constructor(
    private readonly store: BackupStore,
    private readonly manifest: Manifest,
    private readonly content: BackupContent,
    private readonly options: RestoreOptions,
    private readonly tell: ReportProgress,
    private readonly signal: AbortSignal,
  ) {
    this.#decode = createPartDecoder(options.identities)
    this.#bytesTotal = content.files.reduce((sum, { size }) => sum + size, 0)
    this.#target = options.target
    this.#folders = new Set([options.target])
  }

  async run(): Promise<void> {
    const target = this.#target
    await mkdir(target, { recursive: true, mode: 0o700 })
    await this.#writeMarker()
    await mkdir(join(target, PARTIAL), { recursive: true, mode: 0o700 })
    for (const name of this.content.folders) await this.#createFolder(join(target, name))
    await this.#restoreFiles()
    for (const { path, bytes, mode } of this.options.extra ?? [])
      await this.#write(path, mode, null, [bytes])
    await rm(join(target, PARTIAL), { recursive: true, force: true })
    for (const path of this.#folders) await syncDirectory(path)
    await rm(join(target, RESTORE_MARKER))
    await syncDirectory(target)
    await syncDirectory(dirname(target)).catch(() => {})
  }

  async #writeMarker(): Promise<void> {
    const target = this.#target
    const marker: RestoreMarker = { id: this.manifest.id, from: this.store.address }
    const file = await open(join(target, INCOMPLETE_MARKER), 'w', 0o600)
    try {
      await file.writeFile(`${JSON.stringify(marker)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(join(target, INCOMPLETE_MARKER), join(target, RESTORE_MARKER))
    await syncDirectory(target)
  }

  async #restoreFiles(): Promise<void> {
    // The workers share one iterator, so each file is taken once.
    const queue = this.content.files.values()
    const restoreSome = async (): Promise<void> => {
      for (const file of queue) {
        this.signal.throwIfAborted()
        await this.#restoreFile(file)
      }
    }
    const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, restoreSome))
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  async #restoreFile(file: FileEntry): Promise<void> {
    if (!isSafePath(file.path))
      throw new BackupError(`${JSON.stringify(file.path)} is no path that may be restored`)
    if (!(await isRestored(join(this.#target, file.path), file)))
      await this.#write(file.path, file.mode, file.modified_ms, this.#readBytes(file))
    this.#bytesDone += file.size
    this.tell({
      phase: 'restoring',
      files_done: ++this.filesDone,
      files_total: this.content.files.length,
      bytes_done: this.#bytesDone,
      bytes_total: this.#bytesTotal,
    })
  }

  /** The bytes of a file. Throws BackupError before the end when they do not match its hash. */
  async *#readBytes(file: FileEntry): AsyncGenerator<Uint8Array> {
    const hasher = new Bun.CryptoHasher('sha256')
    for (const name of file.parts) {
      this.signal.throwIfAborted()
      const plain = await this.#decode(name, await fetchPart(this.store, this.manifest, name))
      hasher.update(plain)
      yield plain.length > PART_BYTES ? plain.subarray(0, PART_BYTES) : plain
    }
    // Checked before the file gets its name, so a damaged file never appears under it.
    if (hasher.digest('hex') !== file.sha256)
      throw new BackupError(`${file.path} has other bytes than when it was backed up`)
  }

  async #write(
    path: string,
    mode: number,
    modified_ms: number | null,
    blocks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<void> {
    const to = join(this.#target, path)
    await this.#createFolder(dirname(to))
    const name = `${this.filesDone}-${path.replaceAll('/', '_').slice(-100)}`
    const partial = join(this.#target, PARTIAL, name)
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

  async #createFolder(path: string): Promise<void> {
    if (this.#folders.has(path)) return
    await this.#createFolder(dirname(path))
    await mkdir(path, { recursive: true, mode: 0o700 })
    this.#folders.add(path)
  }
}
