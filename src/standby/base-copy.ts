/**
 * Copies the database file to the standby: both hash it in blocks, and blocks that differ are sent.
 * The standby writes into a file beside its database and replaces it at the end, so an interrupted
 * copy changes nothing there.
 *
 * The primary holds a snapshot meanwhile. Every page that changes after it is in the log, and all
 * frames of the log are sent after the blocks. So it does not matter which pages a checkpoint has
 * changed while the file was read.
 */
import { constants, existsSync, rmSync } from 'node:fs'
import { copyFile, link, mkdir, open, rename, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncDirectory, writeFully } from '#lib/disk.ts'
import type { Channel, Message } from './channel.ts'
import { standbyDirectory } from './role.ts'
import { FRAME_HEADER_BYTES, frameAt } from './wal-format.ts'

const BLOCK_BYTES = 1024 * 1024
const BLOCKS_PER_MESSAGE = 64
const HASH_BYTES = 32

const hashOf = (bytes: Uint8Array): Uint8Array =>
  new Bun.CryptoHasher('sha256').update(bytes).digest()

async function readBlock(file: FileHandle, block: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(BLOCK_BYTES)
  let length = 0
  while (length < BLOCK_BYTES) {
    const { bytesRead } = await file.read(
      bytes,
      length,
      BLOCK_BYTES - length,
      block * BLOCK_BYTES + length,
    )
    if (bytesRead === 0) break
    length += bytesRead
  }
  return bytes.subarray(0, length)
}

/**
 * Sends the blocks that differ. `ask` sends the hashes of some blocks and returns which of them the
 * standby lacks. Returns the number of bytes sent.
 */
export async function sendBase(
  path: string,
  channel: Channel,
  ask: (first: number, hashes: Uint8Array) => Promise<readonly number[]>,
): Promise<number> {
  const file = await open(path, 'r')
  let sent = 0
  try {
    const { size } = await file.stat()
    await channel.send({ type: 'base', size })
    const blocks = Math.ceil(size / BLOCK_BYTES)
    for (let first = 0; first < blocks; first += BLOCKS_PER_MESSAGE) {
      const count = Math.min(BLOCKS_PER_MESSAGE, blocks - first)
      const hashes = new Uint8Array(count * HASH_BYTES)
      for (let at = 0; at < count; at++)
        hashes.set(hashOf(await readBlock(file, first + at)), at * HASH_BYTES)
      for (const block of await ask(first, hashes)) {
        const bytes = await readBlock(file, block)
        await channel.send({ type: 'base_block', block }, bytes)
        sent += bytes.length
      }
    }
    return sent
  } finally {
    await file.close()
  }
}

/** The standby's side: a new database file that grows from the old one. */
export class BaseReceiver {
  #file: FileHandle | null = null
  #pages = 0

  private constructor(
    private readonly data: string,
    private readonly pageSize: number,
  ) {}

  private get path(): string {
    return join(standbyDirectory(this.data), 'next.db')
  }

  /** Starts with a copy of the database, whose log must be empty, or with nothing. */
  static async begin(data: string, pageSize: number): Promise<BaseReceiver> {
    const base = new BaseReceiver(data, pageSize)
    await mkdir(dirname(base.path), { recursive: true, mode: 0o700 })
    rmSync(base.path, { force: true })
    const database = join(data, 'hearth.db')
    if (existsSync(database)) await copyFile(database, base.path, constants.COPYFILE_FICLONE)
    base.#file = await open(base.path, existsSync(base.path) ? 'r+' : 'w+', 0o600)
    return base
  }

  /** Which blocks of some hashes this machine lacks. */
  async missing(first: number, hashes: Uint8Array): Promise<number[]> {
    const file = this.#open
    const missing: number[] = []
    for (let at = 0; at * HASH_BYTES < hashes.length; at++) {
      const mine = hashOf(await readBlock(file, first + at))
      const theirs = hashes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
      if (Buffer.compare(mine, theirs) !== 0) missing.push(first + at)
    }
    return missing
  }

  /** Handles a message of the copy; false for other messages. */
  async handle(message: Message, bytes: Uint8Array): Promise<boolean> {
    if (message.type === 'base_block') {
      await writeFully(this.#open, bytes, Number(message.block) * BLOCK_BYTES)
      return true
    }
    if (message.type === 'base_frames') {
      await this.#applyFrames(bytes)
      return true
    }
    return false
  }

  /**
   * Makes the file the database, in its size of `pages` pages unless the log told another. The log
   * of the old one must be empty. The old one stays below `keepAs` in the folder of the standby.
   */
  async finish(pages: number, keepAs: string | null): Promise<void> {
    const file = this.#open
    await file.truncate((this.#pages || pages) * this.pageSize)
    await file.sync()
    await this.close()
    const database = join(this.data, 'hearth.db')
    for (const ending of ['-wal', '-shm']) rmSync(database + ending, { force: true })
    if (keepAs !== null && existsSync(database)) {
      const kept = join(standbyDirectory(this.data), keepAs)
      await link(database, kept).catch(() => copyFile(database, kept))
    }
    await rename(this.path, database)
    await syncDirectory(this.data)
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = null
  }

  get #open(): FileHandle {
    if (this.#file === null) throw new Error('no copy of the database has begun')
    return this.#file
  }

  async #applyFrames(bytes: Uint8Array): Promise<void> {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const frameBytes = FRAME_HEADER_BYTES + this.pageSize
    for (let at = 0; at + frameBytes <= bytes.length; at += frameBytes) {
      const { page, databasePages } = frameAt(view, at)
      if (databasePages > 0) this.#pages = databasePages
      const content = bytes.subarray(at + FRAME_HEADER_BYTES, at + frameBytes)
      await writeFully(this.#open, content, (page - 1) * this.pageSize)
    }
  }
}
