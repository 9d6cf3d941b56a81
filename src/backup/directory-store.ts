/** A store of backups in a directory of this machine, local or mounted. */
import { open, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { syncDirectory } from '#lib/disk.ts'
import { randomToken } from '#lib/hash.ts'
import {
  MissingObjectError,
  toBackupError,
  type BackupStore,
  type StoredObject,
} from './backup-store.ts'

/** Folder of files that are being written; a file is complete once it is renamed out of it. */
const PARTIAL = 'partial'

export const openDirectoryStore = (path: string): BackupStore => new DirectoryStore(path)

class DirectoryStore implements BackupStore {
  readonly address: string
  /** Folders with new names, which a power cut could still lose. */
  readonly #unsynced = new Set<string>()
  readonly #created = new Set<string>()

  constructor(path: string) {
    this.address = resolve(path)
  }

  list(prefix: string): AsyncIterable<StoredObject> {
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
    return this.#walk(join(this.address, prefix), folder)
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const target = join(this.address, name)
    const partial = join(this.address, PARTIAL, randomToken(12))
    try {
      await this.#createFolder(join(this.address, PARTIAL))
      await this.#createFolder(dirname(target))
      const file = await open(partial, 'wx', 0o600)
      try {
        await file.writeFile(bytes)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(partial, target)
      this.#unsynced.add(dirname(target))
    } catch (error) {
      await rm(partial, { force: true }).catch(() => {})
      throw toBackupError(this.address, error)
    }
  }

  async get(name: string): Promise<Uint8Array> {
    const path = join(this.address, name)
    try {
      return await readFile(path)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new MissingObjectError(`${path} is missing`)
      throw toBackupError(this.address, error)
    }
  }

  async remove(name: string): Promise<void> {
    await this.#wrapErrors(rm(join(this.address, name), { force: true }))
  }

  async flush(): Promise<void> {
    const folders = [...this.#unsynced]
    this.#unsynced.clear()
    for (const name of folders) await this.#wrapErrors(syncDirectory(name))
  }

  async sweep(): Promise<void> {
    await this.#wrapErrors(rm(join(this.address, PARTIAL), { recursive: true, force: true }))
    this.#created.clear()
  }

  async #wrapErrors(work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (error) {
      throw toBackupError(this.address, error)
    }
  }

  async #createFolder(path: string): Promise<void> {
    if (this.#created.has(path)) return
    const first = await mkdir(path, { recursive: true, mode: 0o700 })
    this.#created.add(path)
    if (first === undefined) return
    for (let at = path; at.length >= first.length; at = dirname(at)) this.#unsynced.add(dirname(at))
  }

  async *#walk(folder: string, name: string): AsyncGenerator<StoredObject> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
        throw toBackupError(this.address, error)
      },
    )
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) yield* this.#walk(path, `${name}${entry.name}/`)
      else if (entry.isFile()) {
        const found = await stat(path).catch(() => null)
        if (found)
          yield { name: `${name}${entry.name}`, size: found.size, modified_ms: found.mtimeMs }
      }
    }
  }
}
