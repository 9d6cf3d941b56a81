/** Sends the files that the standby lacks. */
import { open } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ChannelError, type Channel, type Message } from './channel.ts'
import {
  entryOf,
  inSendingOrder,
  joinPath,
  listDirectory,
  walkDirectories,
  type DirectoryListing,
} from './file-list.ts'

/** A listing is sent with others until they have so many files. */
const MAX_FILES_PER_MESSAGE = 2000
const MAX_DIRECTORIES_PER_MESSAGE = 200
const PIECE_BYTES = 1024 * 1024
/** A directory that changes while it is sent is read again so often. */
const MAX_ATTEMPTS = 10

/** What the standby lacks of one directory, and what it has beyond it. */
type Difference = {
  readonly directory: string
  readonly names: readonly string[]
  readonly extra_files: readonly string[]
  readonly extra_folders: readonly string[]
}

type Reply = (message: Message) => void

export class FileSender {
  #nextId = 1
  readonly #replies = new Map<number, { resolve: Reply; reject: (error: Error) => void }>()
  sentFiles = 0
  sentBytes = 0

  constructor(
    private readonly data: string,
    private readonly channel: Channel,
  ) {}

  /** Takes the answer to a request. */
  answer(message: Message): void {
    const id = Number(message.id)
    this.#replies.get(id)?.resolve(message)
    this.#replies.delete(id)
  }

  /** Ends all requests. */
  close(error: Error): void {
    for (const { reject } of this.#replies.values()) reject(error)
    this.#replies.clear()
  }

  /** Sends a message and resolves with its answer. */
  request(message: Message, bytes?: Uint8Array): Promise<Message> {
    const id = this.#nextId++
    return new Promise((resolve, reject) => {
      this.#replies.set(id, { resolve, reject })
      this.channel.send({ ...message, id }, bytes).catch(reject)
    })
  }

  /** Resolves when the standby has handled everything that was sent before. */
  async confirm(): Promise<void> {
    await this.request({ type: 'mark' })
  }

  /**
   * Sends files, and the files of directories without their subdirectories. Throws ChannelError
   * when a directory never keeps its files long enough: nothing that names them may follow.
   */
  async sendPaths(paths: readonly string[]): Promise<void> {
    let left = paths
    for (let attempt = 0; attempt < MAX_ATTEMPTS && left.length > 0; attempt++) {
      const listings = await Promise.all(left.map((path) => this.#listingOf(path)))
      const differences = await this.#compare(listings.filter((listing) => listing !== null))
      const changed: string[] = []
      for (const difference of differences)
        if (!(await this.#sendFiles(difference))) changed.push(difference.directory)
      left = changed
    }
    if (left.length > 0)
      throw new ChannelError(`the files of ${left[0]} change faster than they can be sent`)
  }

  /** The listing of a directory, or of the one file that a path is; null when it is gone. */
  async #listingOf(path: string): Promise<DirectoryListing | null> {
    const entry = await entryOf(this.data, path)
    if (entry === null) {
      const listing = await listDirectory(this.data, path)
      return listing && { ...listing, whole: false }
    }
    const directory = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    return { directory, files: [entry], folders: [], whole: false }
  }

  /**
   * Compares all files below the data directory and sends what is missing. `beforeRemoval` resolves
   * when every commit that was made before has been sent; then files that are gone here go there.
   * Without it nothing is removed.
   */
  async sendAll(
    beforeRemoval: (() => Promise<void>) | null,
    isSkipped?: (directory: string) => boolean,
  ): Promise<void> {
    let batch: DirectoryListing[] = []
    let files = 0
    const flush = async (): Promise<void> => {
      const differences = await this.#compare(batch)
      batch = []
      files = 0
      for (const difference of differences) {
        if (!(await this.#sendFiles(difference))) await this.sendPaths([difference.directory])
      }
      const hasExtra = differences.some(
        (one) => one.extra_files.length + one.extra_folders.length > 0,
      )
      if (beforeRemoval !== null && hasExtra) {
        await beforeRemoval()
        for (const difference of differences) await this.#remove(difference)
      }
    }
    for await (const listing of walkDirectories(this.data, '', isSkipped)) {
      batch.push(listing)
      files += listing.files.length
      if (files >= MAX_FILES_PER_MESSAGE || batch.length >= MAX_DIRECTORIES_PER_MESSAGE)
        await flush()
    }
    if (batch.length > 0) await flush()
  }

  async #compare(listings: readonly DirectoryListing[]): Promise<readonly Difference[]> {
    const { differences } = await this.request({ type: 'files', listings })
    return differences as readonly Difference[]
  }

  /** Returns false when a file was gone, because then others may have come. */
  async #sendFiles({ directory, names }: Difference): Promise<boolean> {
    let isWhole = true
    for (const name of inSendingOrder(names))
      if (!(await this.#sendFile(directory, name))) isWhole = false
    return isWhole
  }

  async #sendFile(directory: string, name: string): Promise<boolean> {
    const path = joinPath(directory, name)
    const file = await open(join(this.data, path), 'r').catch(() => null)
    if (file === null) return false
    const transfer = this.#nextId++
    try {
      const { size, mtimeMs, mode } = await file.stat()
      const facts = { size, modified_ms: Math.floor(mtimeMs), mode: mode & 0o777 }
      const hasher = new Bun.CryptoHasher('sha256')
      await this.channel.send({ type: 'file', transfer, directory, name, ...facts })
      for (let offset = 0; offset < size; ) {
        const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, size - offset))
        const { bytesRead } = await file.read(piece, 0, piece.length, offset)
        if (bytesRead === 0) break
        hasher.update(piece.subarray(0, bytesRead))
        await this.channel.send({ type: 'piece', transfer }, piece.subarray(0, bytesRead))
        offset += bytesRead
        this.sentBytes += bytesRead
      }
      await this.channel.send({ type: 'file_end', transfer, sha256: hasher.digest('hex') })
      this.sentFiles++
      return true
    } finally {
      await file.close()
    }
  }

  /** Tells of files that are still gone. */
  async #remove({ directory, extra_files, extra_folders }: Difference): Promise<void> {
    const isGone = (name: string) => !existsSync(join(this.data, directory, name))
    const files = extra_files.filter(isGone)
    const folders = extra_folders.filter(isGone)
    if (files.length + folders.length > 0)
      await this.channel.send({ type: 'remove', directory, files, folders })
  }
}
