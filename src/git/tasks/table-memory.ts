/**
 * Bounds the heap of the tables of one task, whatever the size of the store. The bytes are reserved
 * in the budget that all threads share. A table that no longer fits is a temporary file that is
 * mapped: its pages belong to the system's file cache, which writes them to the disk when memory is
 * short. The file has no name once it is mapped, so a crash leaves nothing.
 */
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { releaseBuffer } from '#lib/pieces.ts'
import { randomName } from '../store/store-files.ts'
import { writeAll } from '../store/hashing-writer.ts'
import type { Table, TableKind, Tables } from '../store/tables.ts'
import type { MemoryBudget } from './memory-budget.ts'

/** Smaller tables are always on the heap, and counted. */
const MIN_MAPPED_BYTES = 1 << 14
const BLOCK_BYTES = 1 << 20

export class TableMemory implements Tables {
  /** Tables that are in use, and the bytes of each that are reserved: 0 for mapped ones. */
  private readonly tables = new Map<ArrayBufferLike, number>()
  private heapBytes = 0
  private peakBytes = 0
  private fileBytes = 0

  constructor(
    private readonly memory: MemoryBudget,
    /** Directory of the temporary files. */
    private readonly tmp: string,
    /** Maximum heap of all tables together, except very small ones. */
    readonly maxHeapBytes: number,
  ) {}

  /** The most heap that the tables had at one time, in bytes. */
  get maxHeldBytes(): number {
    return this.peakBytes
  }

  /** Bytes of all tables that were mapped, one after the other or at one time. */
  get mappedBytes(): number {
    return this.fileBytes
  }

  allocate<T extends Table>(Kind: TableKind<T>, length: number): T {
    return new Kind(this.buffer(length * Kind.BYTES_PER_ELEMENT))
  }

  release(table: Table): void {
    const bytes = this.tables.get(table.buffer)
    if (bytes === undefined) return
    this.tables.delete(table.buffer)
    if (bytes > 0) this.memory.release(bytes)
    this.heapBytes -= bytes
    releaseBuffer(table)
  }

  /** Releases all tables. */
  close(): void {
    for (const buffer of this.tables.keys()) this.release(new Uint8Array(buffer))
  }

  private buffer(bytes: number): ArrayBuffer {
    const fits = this.heapBytes + bytes <= this.maxHeapBytes
    if (bytes < MIN_MAPPED_BYTES) this.memory.add(bytes)
    else if (!fits || !this.memory.tryReserve(bytes)) return this.map(bytes)
    this.heapBytes += bytes
    this.peakBytes = Math.max(this.peakBytes, this.heapBytes)
    const buffer = new ArrayBuffer(bytes)
    this.tables.set(buffer, bytes)
    return buffer
  }

  private map(bytes: number): ArrayBuffer {
    const path = join(this.tmp, `table-${randomName()}`)
    try {
      const fd = openSync(path, 'wx', 0o600)
      try {
        // A full disk is an error here. In a file with holes it would be a signal that ends the
        // process, at the first write to a page.
        const zeros = Buffer.alloc(Math.min(bytes, BLOCK_BYTES))
        for (let at = 0; at < bytes; at += zeros.length)
          writeAll(fd, zeros.subarray(0, Math.min(zeros.length, bytes - at)))
      } finally {
        closeSync(fd)
      }
      const { buffer } = Bun.mmap(path)
      this.fileBytes += bytes
      this.tables.set(buffer, 0)
      return buffer as ArrayBuffer
    } finally {
      rmSync(path, { force: true })
    }
  }
}
