/**
 * Writes commits of another machine into the write-ahead log of a database that nobody has open.
 * SQLite ignores a transaction that is not whole in the log, so the database is at a commit of the
 * primary whenever it is opened, also after a power cut.
 */
import { rmSync, statSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory, writeFully } from '#lib/disk.ts'
import {
  adoptFrames,
  areWholeCommits,
  createHeader,
  HEADER_BYTES,
  type NewLog,
} from './wal-format.ts'

/** The log is moved into the database above this size. */
const MAX_LOG_BYTES = 32 * 1024 ** 2

export class WalWriter {
  #file: FileHandle | null = null
  #log: NewLog | null = null
  #bytes = 0

  constructor(
    private readonly database: string,
    private readonly pageSize: number,
    /** Moves the log into the database file and empties it (`emptyLog`). */
    private readonly emptyLog: (path: string) => void,
  ) {}

  /** Appends whole commits, which are on disk when it resolves. Throws an Error for others. */
  async append(frames: Uint8Array): Promise<void> {
    if (!areWholeCommits(frames, this.pageSize))
      throw new Error('the primary sent a transaction that is not whole')
    if (this.#bytes > MAX_LOG_BYTES) await this.close()
    const file = await this.#open()
    const log = this.#log as NewLog
    adoptFrames(frames, this.pageSize, log)
    await writeFully(file, frames, this.#bytes)
    await file.datasync()
    this.#bytes += frames.length
  }

  async #open(): Promise<FileHandle> {
    if (this.#file !== null) return this.#file
    this.#emptyLog()
    const salts = crypto.getRandomValues(new Uint32Array(2))
    const { bytes, log } = createHeader(this.pageSize, [salts[0] ?? 0, salts[1] ?? 0])
    const file = await open(`${this.database}-wal`, 'w', 0o600)
    await writeFully(file, bytes, 0)
    await file.datasync()
    await syncDirectory(dirname(this.database))
    this.#log = log
    this.#bytes = HEADER_BYTES
    return (this.#file = file)
  }

  /** Moves all commits into the database file. */
  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = null
    this.#log = null
    this.#bytes = 0
    this.#emptyLog()
  }

  #emptyLog(): void {
    // The index of the log is of another log. SQLite makes it anew.
    rmSync(`${this.database}-shm`, { force: true })
    const size = statSync(`${this.database}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size > 0) this.emptyLog(this.database)
  }
}
