/**
 * One pack on disk with its index. Entries are read at their offsets; only the index is held in
 * memory.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { BitmapFile } from '../bitmap/bitmap-file.ts'
import type { ArenaSlots } from './arena.ts'
import { PackIndex } from './pack-index.ts'
import { HEAP_TABLES, type Tables } from './tables.ts'
import { ReverseIndex } from './reverse-index.ts'

export class PackFile {
  /** The pack's inflated objects in the arena. */
  readonly arenaSlots: ArenaSlots = new Map()
  /** Distributes the blocks of different packs over the block cache. */
  readonly salt = Math.floor(Math.random() * 256)
  private fd = -1
  private openIndex: PackIndex | null = null
  private fileBytes = 0
  private openBitmap: BitmapFile | null | undefined = undefined
  private openReverseIndex: ReverseIndex | null = null
  /** Whether the push of this pack has not been applied yet; see `isPending`. */
  private pending: boolean

  /** `base` is the path without `.pack`. Files are opened on first use. */
  constructor(
    readonly base: string,
    readonly tables: Tables = HEAP_TABLES,
  ) {
    this.pending = existsSync(`${base}.pending`)
  }

  get name(): string {
    return this.base.slice(this.base.lastIndexOf('/') + 1)
  }

  /** Throws GitError `corrupt` when index and pack do not match. ENOENT is passed on. */
  get index(): PackIndex {
    if (this.openIndex === null) this.open()
    return this.openIndex!
  }

  /**
   * The index, or null when maintenance removed the pack before this thread opened it. Its objects
   * are then in another pack.
   */
  get indexOrNull(): PackIndex | null {
    try {
      return this.index
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
      return null
    }
  }

  get size(): number {
    if (this.openIndex === null) this.open()
    return this.fileBytes
  }

  /** The pack's objects in pack order. */
  get reverseIndex(): ReverseIndex {
    const { base, index, size, tables } = this
    this.openReverseIndex ??= ReverseIndex.open(base, index, size - 20, tables)
    return this.openReverseIndex
  }

  /** Approximate memory of the pack in bytes. The index is mapped and does not count. */
  get heldBytes(): number {
    return this.openReverseIndex?.heldBytes ?? 0
  }

  /**
   * The `.bitmap` of the pack, or null when it is missing, does not match or the pack was removed.
   */
  get bitmap(): BitmapFile | null {
    if (this.openBitmap === undefined) {
      try {
        const index = this.indexOrNull
        this.openBitmap = index && BitmapFile.open(this.base, index, this.tables)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        this.openBitmap = null
      }
    }
    return this.openBitmap
  }

  /** Whether the pack may still be removed because its push is refused. */
  isPending(): boolean {
    if (this.pending) this.pending = existsSync(`${this.base}.pending`)
    return this.pending
  }

  /** Reads up to `length` bytes at `offset`. Returns the number of bytes read. */
  read(into: Uint8Array, at: number, length: number, offset: number): number {
    if (this.fd < 0) this.open()
    let done = 0
    while (done < length) {
      const got = readSync(this.fd, into, at + done, length - done, offset + done)
      if (got === 0) break
      done += got
    }
    return done
  }

  close(): void {
    if (this.fd >= 0) closeSync(this.fd)
    this.fd = -1
    this.openIndex = null
    this.openReverseIndex?.release()
    this.openReverseIndex = null
    this.openBitmap = undefined
  }

  private open(): void {
    const index = PackIndex.open(`${this.base}.idx`)
    const fd = openSync(`${this.base}.pack`, 'r')
    try {
      const length = fstatSync(fd).size
      const head = new Uint8Array(12)
      const tail = new Uint8Array(20)
      readSync(fd, head, 0, 12, 0)
      readSync(fd, tail, 0, 20, Math.max(0, length - 20))
      const view = Buffer.from(head)
      const sound =
        length >= 32 && view.toString('latin1', 0, 4) === 'PACK' && view.readUInt32BE(4) === 2
      if (
        !sound ||
        view.readUInt32BE(8) !== index.count ||
        Buffer.compare(tail, index.packChecksum) !== 0
      ) {
        throw new GitError('corrupt', `${this.name}: pack and index do not belong together`)
      }
      this.fileBytes = length
    } catch (error) {
      closeSync(fd)
      throw error
    }
    this.openIndex = index
    this.fd = fd
  }
}

/** Returns the pack with the most objects, the first of several; null without any. */
export const largestPack = (packs: readonly PackFile[]): PackFile | null =>
  packs.reduce<PackFile | null>(
    (best, pack) => (best !== null && best.index.count >= pack.index.count ? best : pack),
    null,
  )
