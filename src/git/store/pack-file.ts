/** One pack on disk with its index: positioned reads of entries, nothing kept but the index. */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs'
import { GitError } from '../ports.ts'
import { BitmapFile } from '../bitmap/bitmap-file.ts'
import type { Owner } from './arena.ts'
import { PackIndex } from './pack-index.ts'
import { PackOrder } from './pack-order.ts'

export class PackFile {
  /** Its inflated objects in the arena. */
  readonly cached: Owner = new Map()
  /** Spreads the blocks of different packs over the cache of blocks. */
  readonly salt = Math.floor(Math.random() * 256)
  private fd = -1
  private opened: PackIndex | null = null
  private length = 0
  private bits: BitmapFile | null | undefined = undefined
  private ordered: PackOrder | null = null
  /** Whether the push that brought it has not been applied yet; see `isPending`. */
  private pending: boolean

  /** `base` is the path without `.pack`. Nothing is opened before it is needed. */
  constructor(readonly base: string) {
    this.pending = existsSync(`${base}.pending`)
  }

  get name(): string {
    return this.base.slice(this.base.lastIndexOf('/') + 1)
  }

  /**
   * Throws GitError `corrupt` when index and pack do not belong together; ENOENT passes through.
   */
  get index(): PackIndex {
    if (this.opened === null) this.open()
    return this.opened!
  }

  /**
   * The same, or null when maintenance removed the pack before this thread opened it: its objects
   * are in another one then.
   */
  get indexIfThere(): PackIndex | null {
    try {
      return this.index
    } catch (error) {
      if ((error as { code?: string }).code !== 'ENOENT') throw error
      return null
    }
  }

  get size(): number {
    if (this.opened === null) this.open()
    return this.length
  }

  /** Its objects in the order in which they lie in the pack. */
  get order(): PackOrder {
    this.ordered ??= PackOrder.open(this.base, this.index, this.size - 20)
    return this.ordered
  }

  /** Roughly the bytes of memory that it holds; the index is mapped. */
  get held(): number {
    return this.ordered?.held ?? 0
  }

  /**
   * The `.bitmap` beside it, or null; one that does not fit counts as none, and so does a pack that
   * is gone.
   */
  get bitmap(): BitmapFile | null {
    if (this.bits === undefined) {
      try {
        const index = this.indexIfThere
        this.bits = index && BitmapFile.open(this.base, index)
      } catch (error) {
        if (!(error instanceof GitError)) throw error
        this.bits = null
      }
    }
    return this.bits
  }

  /** Forgets that there was no bitmap: maintenance may have written one. */
  lookAgain(): void {
    if (this.bits === null) this.bits = undefined
  }

  /** Whether the pack may still vanish because its push is refused. */
  isPending(): boolean {
    if (this.pending) this.pending = existsSync(`${this.base}.pending`)
    return this.pending
  }

  /** Reads up to `length` bytes at `offset`; gives the count. */
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
    this.opened = null
    this.ordered = null
    this.bits = undefined
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
      this.length = length
    } catch (error) {
      closeSync(fd)
      throw error
    }
    this.opened = index
    this.fd = fd
  }
}
