/** The two contents of a changed file. A submodule is one line of text, as in git. */
import type { ObjectReader } from '../ports.ts'
import { holdOrNull, readBlob, type Entry } from '../history/tree.ts'
import type { Change } from './changes.ts'
import type { Effort } from './effort.ts'
import { isSubmodule, type FilePair } from './file-pair.ts'
import { countLines, isBinary, splitLines, type Lines } from './lines.ts'
import { diffLines } from './line-diff.ts'

/** Larger files are not compared. Git's limit is `core.bigFileThreshold`, 512 MiB by default. */
const MAX_TEXT_BYTES = 32 * 1024 * 1024
/** Nor are files with more lines, because each line takes memory too. */
const MAX_TEXT_LINES = 1_000_000
/** What comparing takes for each line: its offset, its numbers, and its places in the tables. */
const BYTES_PER_LINE = 64

export type Content = {
  readonly old: Uint8Array
  readonly new: Uint8Array
  readonly binary: boolean
  /** The file is too large to be compared, and has no content here. */
  readonly isTooLarge?: boolean
}

const nothing = new Uint8Array(0)
const encoder = new TextEncoder()

function contentOf(db: ObjectReader, entry: Entry | null): Uint8Array {
  if (!entry) return nothing
  return isSubmodule(entry)
    ? encoder.encode(`Subproject commit ${entry.oid}\n`)
    : readBlob(db, entry.oid)
}

const sizeOf = (db: ObjectReader, entry: Entry | null): number =>
  entry === null || isSubmodule(entry) ? 0 : (db.header(entry.oid)?.size ?? 0)

const TOO_LARGE: Content = { old: nothing, new: nothing, binary: true, isTooLarge: true }

/**
 * Runs a comparison of both contents. Their memory is reserved meanwhile. `asText` is the attribute
 * `diff` of a file: text, binary, or null when the content decides.
 */
export function withContent<R>(
  db: ObjectReader,
  pair: FilePair,
  compare: (content: Content) => R,
  asText: boolean | null = null,
): R {
  const [oldBytes, newBytes] = [sizeOf(db, pair.old), sizeOf(db, pair.new)]
  if (Math.max(oldBytes, newBytes) > MAX_TEXT_BYTES) return compare(TOO_LARGE)
  const releaseContent = holdOrNull(db, oldBytes + newBytes)
  if (releaseContent === null) return compare(TOO_LARGE)
  try {
    const content = readContent(db, pair, asText)
    const [oldLines, newLines] = [countLines(content.old), countLines(content.new)]
    if (!content.binary && Math.max(oldLines, newLines) > MAX_TEXT_LINES) return compare(TOO_LARGE)
    const lineBytes = content.binary ? 0 : (oldLines + newLines) * BYTES_PER_LINE
    const releaseLines = holdOrNull(db, lineBytes)
    if (releaseLines === null) return compare(TOO_LARGE)
    try {
      return compare(content)
    } finally {
      releaseLines()
    }
  } finally {
    releaseContent()
  }
}

function readContent(db: ObjectReader, pair: FilePair, asText: boolean | null): Content {
  const old = contentOf(db, pair.old)
  const now = contentOf(db, pair.new)
  return { old, new: now, binary: asText === null ? isBinary(old) || isBinary(now) : !asText }
}

export type LineChanges = {
  readonly old: Lines
  readonly new: Lines
  readonly changes: readonly Change[]
}

/** Whether a file changed its type; then all its lines are replaced. */
export function lineChanges(
  content: Content,
  replaced: boolean,
  ignoreWhitespace: boolean,
  effort: Effort,
): LineChanges {
  const old = splitLines(content.old)
  const now = splitLines(content.new)
  if (!replaced)
    return { old, new: now, changes: diffLines(old, now, { ignoreWhitespace, effort }) }
  const changes =
    old.count + now.count > 0 ? [{ old: 0, oldCount: old.count, new: 0, newCount: now.count }] : []
  return { old, new: now, changes }
}

export type Counts = { readonly additions: number; readonly deletions: number }

export const sumChanges = (changes: readonly Change[]): Counts =>
  changes.reduce(
    (sum, c) => ({ additions: sum.additions + c.newCount, deletions: sum.deletions + c.oldCount }),
    { additions: 0, deletions: 0 },
  )

/** The additions and deletions when they are known without a comparison; otherwise null. */
export function easyCounts(pair: FilePair, content: Content): Counts | null {
  if (content.binary) return { additions: 0, deletions: 0 }
  if (!pair.old) return { additions: countLines(content.new), deletions: 0 }
  if (!pair.new) return { additions: 0, deletions: countLines(content.old) }
  return pair.old.oid === pair.new.oid && pair.status !== 'type_changed'
    ? { additions: 0, deletions: 0 }
    : null
}
