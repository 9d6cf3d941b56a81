/** Reads pages of a log: of one that grows, and of one that is packed. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { indexPath, textPath } from './log-writer.ts'
import { readRecords } from './log-index.ts'
import { FRAME_LINES, PackedLog, stampsOf, type Frame, type Stamp } from './packed-log.ts'

/** A line of a log. Lines count from 1. `at` is in milliseconds. */
export type LogLine = { readonly n: number; readonly at: number; readonly text: string }

/** Lines of a log. `next` is the line after the last one; null when the log has no more now. */
export type LogPage = { readonly lines: readonly LogLine[]; readonly next: number | null }

/** A page has at most so many lines. */
export const MAX_PAGE_LINES = 1_000
/** A page ends with the line that makes it larger. */
const MAX_PAGE_BYTES = 1024 ** 2
/** Lines have at most 16 KiB, so so many bytes hold a stretch of 1,024 and a page. */
const MAX_READ_BYTES = 32 * 1024 ** 2

const LINE_FEED = 0x0a

/** The lines of a piece of text, whose first line is `first`, that belong to a page. */
class PageBuilder {
  readonly lines: LogLine[] = []
  #bytes = 0

  constructor(
    private readonly from: number,
    private readonly count: number,
  ) {}

  get isFull(): boolean {
    return this.lines.length >= this.count || this.#bytes >= MAX_PAGE_BYTES
  }

  /** Lines count from 0 here. */
  add(text: Uint8Array, first: number, stamps: readonly Stamp[]): void {
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
    let line = first
    let stamp = 0
    for (let start = 0; start < bytes.length && !this.isFull; line++) {
      const end = bytes.indexOf(LINE_FEED, start)
      // The last line of a log that grows may be incomplete.
      if (end < 0) return
      if (line >= this.from) {
        while ((stamps[stamp + 1]?.line ?? Infinity) <= line - first) stamp++
        const at = stamps[stamp]?.at ?? 0
        this.lines.push({ n: line + 1, at, text: bytes.toString('utf8', start, end) })
        this.#bytes += end - start
      }
      start = end + 1
    }
  }

  page(hasMore: boolean): LogPage {
    const last = this.lines.at(-1)
    return { lines: this.lines, next: hasMore && last ? last.n + 1 : null }
  }
}

const boundedCount = (count: number): number => Math.max(0, Math.min(count, MAX_PAGE_LINES))

/** Reads `count` lines from line `from` on (counted from 1). Null when there is no such log. */
export function readGrowingLog(path: string, from: number, count: number): LogPage | null {
  let file: number
  try {
    file = openSync(textPath(path), 'r')
  } catch {
    return null
  }
  try {
    const first = Math.max(0, from - 1)
    const wanted = boundedCount(count)
    const page = new PageBuilder(first, wanted)
    const records = readRecords(indexPath(path), first, first + wanted)
    const [record] = records
    if (!record) return page.page(false)
    const { size } = fstatSync(file)
    const text = Buffer.alloc(Math.min(size - record.offset, MAX_READ_BYTES))
    readSync(file, text, 0, text.length, record.offset)
    page.add(text, record.line, stampsOf(records, record.line))
    return page.page(page.isFull)
  } finally {
    closeSync(file)
  }
}

/** Reads `count` lines of a packed log from line `from` on. Null when it is no packed log. */
export async function readPackedLog(
  path: string,
  from: number,
  count: number,
): Promise<LogPage | null> {
  const log = PackedLog.open(path)
  if (!log) return null
  try {
    const first = Math.max(0, from - 1)
    const page = new PageBuilder(first, boundedCount(count))
    let number = Math.floor(first / FRAME_LINES)
    for (; !page.isFull; number++) {
      const frame: Frame | null = await log.frame(number)
      if (!frame) break
      page.add(frame.text, number * FRAME_LINES, frame.stamps)
    }
    return page.page((page.lines.at(-1)?.n ?? log.lines) < log.lines)
  } finally {
    log.close()
  }
}
