/**
 * Takes the files of the primary. A file has its name only once all its bytes are on disk and match
 * the checksum.
 */
import { mkdir, open, rename, rm, utimes, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, writeFully } from '#lib/disk.ts'
import type { Message } from './channel.ts'
import {
  isInside,
  isSameFile,
  isSent,
  joinPath,
  listDirectory,
  type DirectoryListing,
} from './file-list.ts'
import { standbyDirectory } from './role.ts'

/** What git expects in each store, also in an empty one. */
const STORE_DIRECTORIES = ['objects/info', 'objects/pack', 'refs']

type Transfer = {
  readonly path: string
  readonly temporary: string
  readonly file: FileHandle
  readonly hasher: Bun.CryptoHasher
  readonly modified_ms: number
  readonly mode: number
}

export class FileReceiver {
  readonly #transfers = new Map<number, Transfer>()
  /** Directories with new names, which a power cut could still lose. */
  readonly #unsynced = new Set<string>()
  receivedFiles = 0

  constructor(private readonly data: string) {}

  /** Handles a message about files; false for other messages. */
  async handle(message: Message, bytes: Uint8Array): Promise<boolean> {
    const transfer = this.#transfers.get(Number(message.transfer))
    switch (message.type) {
      case 'file':
        await this.#begin(message)
        return true
      case 'piece':
        transfer?.hasher.update(bytes)
        if (transfer) await writeFully(transfer.file, bytes)
        return true
      case 'file_end':
        if (transfer) await this.#end(Number(message.transfer), transfer, String(message.sha256))
        return true
      case 'remove':
        await this.#remove(message)
        return true
      default:
        return false
    }
  }

  /** What this machine lacks of some listings, and what it has beyond them. */
  async compare(listings: readonly DirectoryListing[]) {
    const differences = await Promise.all(listings.map((listing) => this.#compareOne(listing)))
    return differences.filter(
      ({ names, extra_files, extra_folders }) =>
        names.length + extra_files.length + extra_folders.length > 0,
    )
  }

  /** Resolves when all files that have arrived survive a power cut. */
  async flush(): Promise<void> {
    const directories = [...this.#unsynced]
    this.#unsynced.clear()
    for (const directory of directories) await syncDirectory(directory).catch(() => {})
  }

  /** Removes what has not arrived as a whole. */
  async close(): Promise<void> {
    for (const { file } of this.#transfers.values()) await file.close().catch(() => {})
    this.#transfers.clear()
    await rm(join(standbyDirectory(this.data), 'incoming'), { recursive: true, force: true })
  }

  #requirePath(directory: unknown, name: unknown): string {
    const path = joinPath(String(directory), String(name))
    if (!isInside(path) || !isSent(path)) throw new Error(`the primary sent the path ${path}`)
    return path
  }

  async #compareOne({ directory, files, folders, whole }: DirectoryListing) {
    if (!isInside(directory)) throw new Error(`the primary sent the path ${directory}`)
    await this.#createDirectory(directory)
    if (/^repos\/[^/]+$/.test(directory))
      for (const name of STORE_DIRECTORIES) await this.#createDirectory(`${directory}/${name}`)
    const here = await listDirectory(this.data, directory)
    const known = new Map((here?.files ?? []).map((entry) => [entry[0], entry]))
    const names = files
      .filter((entry) => {
        const mine = known.get(entry[0])
        return !mine || !isSameFile(joinPath(directory, entry[0]), mine, entry)
      })
      .map(([name]) => name)
    const listed = new Set(files.map(([name]) => name))
    const listedFolders = new Set(folders)
    return {
      directory,
      names,
      extra_files: whole ? [...known.keys()].filter((name) => !listed.has(name)) : [],
      extra_folders: whole ? (here?.folders ?? []).filter((name) => !listedFolders.has(name)) : [],
    }
  }

  async #createDirectory(directory: string): Promise<void> {
    const path = join(this.data, directory)
    const created = await mkdir(path, { recursive: true, mode: 0o700 })
    for (let at = path; created !== undefined && at.length >= created.length; at = dirname(at))
      this.#unsynced.add(dirname(at))
  }

  async #begin(message: Message): Promise<void> {
    const path = this.#requirePath(message.directory, message.name)
    const incoming = join(standbyDirectory(this.data), 'incoming')
    await mkdir(incoming, { recursive: true, mode: 0o700 })
    const temporary = join(incoming, String(Number(message.transfer)))
    this.#transfers.set(Number(message.transfer), {
      path,
      temporary,
      file: await open(temporary, 'w', 0o600),
      hasher: new Bun.CryptoHasher('sha256'),
      modified_ms: Number(message.modified_ms),
      mode: Number(message.mode) & 0o777,
    })
  }

  async #end(id: number, transfer: Transfer, sha256: string): Promise<void> {
    this.#transfers.delete(id)
    const { path, temporary, file, hasher, modified_ms, mode } = transfer
    await file.chmod(mode)
    await file.sync()
    await file.close()
    if (hasher.digest('hex') !== sha256) throw new Error(`${path} did not arrive as it was sent`)
    await utimes(temporary, modified_ms / 1000, modified_ms / 1000)
    const target = join(this.data, path)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(temporary, target)
    this.#unsynced.add(dirname(target))
    this.receivedFiles++
  }

  async #remove(message: Message): Promise<void> {
    const remove = async (names: unknown, recursive: boolean): Promise<void> => {
      for (const name of names as string[])
        await rm(join(this.data, this.#requirePath(message.directory, name)), {
          recursive,
          force: true,
        })
    }
    await remove(message.files, false)
    await remove(message.folders, true)
  }
}
