/** Writes pieces that the writer may keep, several at a time and beside the event loop. */
import { closeSync, fsync, openSync, writev, writevSync } from 'node:fs'
import { release } from './pieces.ts'

/**
 * Pieces are gathered up to this size. A write is a turn of a thread, which costs more than
 * writing one piece; more at once saved no time.
 */
const BATCH_BYTES = 512 * 1024

/** So much is written at once on the event loop: it goes to memory, which a thread does no faster. */
const MAX_SYNC_BYTES = 64 * 1024

/** A file that is open for writing. Whoever opened it closes it. */
export class OpenFile {
  readonly #descriptor: number

  /** `wx` creates the file and `a` appends to it. */
  constructor(path: string, flags: 'wx' | 'a') {
    this.#descriptor = openSync(path, flags, 0o600)
  }

  /** Returns how many bytes were written, which may be fewer than there are. */
  write(pieces: readonly Uint8Array[]): Promise<number> {
    return new Promise((resolve, reject) => {
      writev(this.#descriptor, pieces, (error, written) => {
        if (error) reject(error)
        else resolve(written)
      })
    })
  }

  writeSync(pieces: readonly Uint8Array[]): number {
    return writevSync(this.#descriptor, pieces)
  }

  sync(): Promise<void> {
    return new Promise((resolve, reject) => {
      fsync(this.#descriptor, (error) => {
        if (error) reject(error)
        else resolve()
      })
    })
  }

  close(): void {
    closeSync(this.#descriptor)
  }
}

export type PieceFile = Pick<OpenFile, 'write' | 'writeSync'>

/** Writes all of a piece that the caller may use again afterwards. */
export async function writeWhole(file: PieceFile, piece: Uint8Array): Promise<void> {
  let left: readonly Uint8Array[] = piece.length === 0 ? [] : [piece]
  while (left.length > 0) left = skip(left, await file.write(left))
}

/**
 * While one batch is written, the next is gathered. A piece that was added belongs to the writer,
 * which releases its memory. `flush` must be awaited before the file is closed, whatever happens.
 */
export class FileWriter {
  #pieces: Uint8Array[] = []
  #bytes = 0
  #writing: Promise<void> | null = null

  constructor(private readonly file: PieceFile) {}

  /** Throws the error of an earlier write. */
  async add(piece: Uint8Array): Promise<void> {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#bytes += piece.length
    if (this.#bytes >= BATCH_BYTES) await this.#beginBatch()
  }

  /** Resolves when everything is written. Throws the error of a write. */
  async flush(): Promise<void> {
    if (this.#writing === null && this.#bytes <= MAX_SYNC_BYTES) return this.#writeNow()
    if (this.#pieces.length > 0) await this.#beginBatch()
    await this.#writing
  }

  async #beginBatch(): Promise<void> {
    const pieces = this.#pieces
    this.#pieces = []
    this.#bytes = 0
    await this.#writing
    this.#writing = this.#write(pieces)
    // `flush` throws it. Until then nobody may wait for it.
    this.#writing.catch(() => {})
  }

  #writeNow(): void {
    let left: readonly Uint8Array[] = this.#pieces
    while (left.length > 0) left = skip(left, this.file.writeSync(left))
    for (const piece of this.#pieces) release(piece)
    this.#pieces = []
    this.#bytes = 0
  }

  async #write(pieces: readonly Uint8Array[]): Promise<void> {
    let left = pieces
    while (left.length > 0) left = skip(left, await this.file.write(left))
    for (const piece of pieces) release(piece)
  }
}

/** The pieces after so many bytes. A disk that is almost full takes a part of a write. */
function skip(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let skipped = bytes
  for (const [index, piece] of pieces.entries()) {
    if (skipped < piece.length) return [piece.subarray(skipped), ...pieces.slice(index + 1)]
    skipped -= piece.length
  }
  return []
}
