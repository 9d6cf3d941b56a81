/**
 * The log of a job that has ended, in one file: compressed frames (zstd, RFC 8878) of 1,024 lines,
 * a table of their sizes, and a footer. So a page of a log needs one frame.
 *
 * A frame holds the number of its times (4 bytes), the times (line within the frame, 4 bytes;
 * milliseconds, 8 bytes), and the text. The table has two numbers of 4 bytes for each frame: its
 * compressed and its full size. The footer has the number of frames (4), the lines (8) and a mark
 * (8). All numbers are little-endian.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { indexPath, textPath } from './log-writer.ts'
import { readRecords, STRETCH_LINES, type LogRecord } from './log-index.ts'

export const FRAME_LINES = STRETCH_LINES

const MARK = 'HEARTHL1'
const FOOTER_BYTES = 20
const STAMP_BYTES = 12
/** A frame is 1,024 lines of at most 16 KiB. A larger one is not of ours. */
const MAX_FRAME_BYTES = 64 * 1024 ** 2

export type Stamp = { readonly line: number; readonly at: number }
/** Lines of a log, from a multiple of 1,024 on. */
export type Frame = { readonly stamps: readonly Stamp[]; readonly text: Uint8Array }

type FrameSize = { readonly packed: number; readonly full: number }

function encodeFrame({ stamps, text }: Frame): Uint8Array {
  const bytes = new Uint8Array(4 + stamps.length * STAMP_BYTES + text.length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, stamps.length, true)
  stamps.forEach(({ line, at }, n) => {
    view.setUint32(4 + n * STAMP_BYTES, line, true)
    view.setFloat64(8 + n * STAMP_BYTES, at, true)
  })
  bytes.set(text, 4 + stamps.length * STAMP_BYTES)
  return bytes
}

function decodeFrame(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(0, true)
  const stamps = Array.from({ length: count }, (_, n) => ({
    line: view.getUint32(4 + n * STAMP_BYTES, true),
    at: view.getFloat64(8 + n * STAMP_BYTES, true),
  }))
  return { stamps, text: bytes.subarray(4 + count * STAMP_BYTES) }
}

/** The stamps of the lines from `from` on, of which `records` cover at least the first. */
export function stampsOf(records: readonly LogRecord[], from: number): Stamp[] {
  const stamps: Stamp[] = []
  for (const { line, at } of records) {
    const first = Math.max(0, line - from)
    if (stamps.at(-1)?.line === first) stamps.pop()
    if (stamps.at(-1)?.at !== at) stamps.push({ line: first, at })
  }
  return stamps
}

/** The frames of a log that has been written to its end. */
async function* framesOf(path: string): AsyncGenerator<Frame> {
  const file = await open(textPath(path), 'r')
  try {
    const { size } = await file.stat()
    for (let line = 0, offset = 0; offset < size; line += FRAME_LINES) {
      const records = readRecords(indexPath(path), line, line + FRAME_LINES)
      // Records stand at every 1,024th line after a record, not at multiples of 1,024.
      const [next] = readRecords(indexPath(path), line + FRAME_LINES, line + FRAME_LINES + 1)
      const end = next ? await offsetOfLine(file, next, line + FRAME_LINES, size) : size
      const text = Buffer.alloc(end - offset)
      await file.read(text, 0, text.length, offset)
      yield { stamps: stampsOf(records, line), text }
      offset = end
    }
  } finally {
    await file.close()
  }
}

/** The offset of a line that is at or behind a record; the size when the log has fewer lines. */
async function offsetOfLine(
  file: Awaited<ReturnType<typeof open>>,
  record: LogRecord,
  line: number,
  size: number,
): Promise<number> {
  let current = record.line
  let offset = record.offset
  const buffer = Buffer.alloc(65_536)
  while (current < line && offset < size) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
    if (bytesRead === 0) break
    let at = 0
    for (; current < line; current++) {
      const end = buffer.subarray(0, bytesRead).indexOf(0x0a, at)
      if (end < 0) break
      at = end + 1
    }
    offset += current < line ? bytesRead : at
  }
  return Math.min(offset, size)
}

/** Writes the log `path` in its packed form to `target`. */
export async function packLog(path: string, target: string, lines: number): Promise<void> {
  const file = await open(target, 'w', 0o600)
  try {
    const sizes: FrameSize[] = []
    for await (const frame of framesOf(path)) {
      const bytes = encodeFrame(frame)
      const packed = await Bun.zstdCompress(bytes)
      await file.write(packed)
      sizes.push({ packed: packed.length, full: bytes.length })
    }
    const end = new DataView(new ArrayBuffer(sizes.length * 8 + FOOTER_BYTES))
    sizes.forEach(({ packed, full }, n) => {
      end.setUint32(n * 8, packed, true)
      end.setUint32(n * 8 + 4, full, true)
    })
    end.setUint32(sizes.length * 8, sizes.length, true)
    end.setFloat64(sizes.length * 8 + 4, lines, true)
    const bytes = new Uint8Array(end.buffer)
    bytes.set(Buffer.from(MARK), sizes.length * 8 + 12)
    await file.write(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** A packed log that is open for reading. */
export class PackedLog {
  private constructor(
    private readonly file: number,
    private readonly sizes: readonly FrameSize[],
    readonly lines: number,
  ) {}

  /** Null when the file is missing or is no packed log. */
  static open(path: string): PackedLog | null {
    let file: number
    try {
      file = openSync(path, 'r')
    } catch {
      return null
    }
    const log = PackedLog.#read(file)
    if (!log) closeSync(file)
    return log
  }

  static #read(file: number): PackedLog | null {
    const { size } = fstatSync(file)
    const footer = Buffer.alloc(FOOTER_BYTES)
    if (size < FOOTER_BYTES) return null
    readSync(file, footer, 0, FOOTER_BYTES, size - FOOTER_BYTES)
    if (footer.toString('latin1', 12) !== MARK) return null
    const count = footer.readUInt32LE(0)
    if (count * 8 + FOOTER_BYTES > size) return null
    const table = Buffer.alloc(count * 8)
    readSync(file, table, 0, table.length, size - FOOTER_BYTES - table.length)
    const sizes = Array.from({ length: count }, (_, n) => ({
      packed: table.readUInt32LE(n * 8),
      full: table.readUInt32LE(n * 8 + 4),
    }))
    return new PackedLog(file, sizes, footer.readDoubleLE(4))
  }

  get frames(): number {
    return this.sizes.length
  }

  /** The frame of this number; null when there is none. */
  async frame(number: number): Promise<Frame | null> {
    const size = this.sizes[number]
    if (!size || size.full > MAX_FRAME_BYTES) return null
    const start = this.sizes.slice(0, number).reduce((sum, { packed }) => sum + packed, 0)
    const packed = Buffer.alloc(size.packed)
    readSync(this.file, packed, 0, packed.length, start)
    return decodeFrame(await Bun.zstdDecompress(packed))
  }

  close(): void {
    closeSync(this.file)
  }
}
