/**
 * Unified patches as `git diff` writes them
 * (https://git-scm.com/docs/diff-format#generate_patch_text_with_p).
 */
import { GitError, type DiffOptions, type ObjectReader, type Oid } from '../ports.ts'
import { modeText } from '../history/list-tree.ts'
import { lineChanges, withContent, type Content, type LineChanges } from './content.ts'
import { manyFiles, type Effort } from './effort.ts'
import { filePairs, type FilePair } from './file-pair.ts'
import { Headings, hunkRanges } from './hunks.ts'
import { endsWithNewline, type Lines } from './lines.ts'
import { quotePath } from './quote.ts'
import { scorePercent } from './similarity.ts'

/** The length of object ids in `index` lines: git's default for repositories of usual size. */
const SHORT = 7
const NOTHING = '0'.repeat(SHORT)

/** A longer patch is no help on a page, and it is in memory whole. */
const MAX_PATCH_BYTES = 32 * 1024 * 1024

/**
 * The patch as text; invalid UTF-8 becomes U+FFFD. Use `patchBytes` for a patch to be applied. Throws
 * GitError `too_large` above 32 MiB.
 */
export function formatPatch(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  options: DiffOptions = {},
): string {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for (const chunk of patchBytes(db, from, to, options)) {
    bytes += chunk.length
    if (bytes > MAX_PATCH_BYTES)
      throw new GitError('too_large', `the patch has more than ${MAX_PATCH_BYTES} bytes`)
    chunks.push(chunk)
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.concat(chunks))
}

/** The patch as bytes, one chunk per file. `skip` and `limit` count files. */
export function* patchBytes(
  db: ObjectReader,
  from: Oid | null,
  to: Oid | null,
  options: DiffOptions = {},
): Generator<Uint8Array, void> {
  const skip = options.skip ?? 0
  const effort = manyFiles()
  for (const pair of filePairs(db, from, to, options.paths).slice(
    skip,
    skip + (options.limit ?? Infinity),
  )) {
    if (pair.status === 'type_changed') {
      // A file that changed its type is shown as removed and added.
      yield filePatch(db, { ...pair, new: null, status: 'removed' }, options, effort)
      yield filePatch(db, { ...pair, old: null, status: 'added' }, options, effort)
    } else yield filePatch(db, pair, options, effort)
  }
}

class Output {
  private readonly parts: Uint8Array[] = []

  line(text: string): void {
    this.parts.push(Buffer.from(`${text}\n`, 'latin1'))
  }

  bytes(...bytes: Uint8Array[]): void {
    this.parts.push(...bytes)
  }

  done(): Uint8Array {
    return Buffer.concat(this.parts)
  }
}

const none = new Uint8Array(0)

function filePatch(
  db: ObjectReader,
  pair: FilePair,
  options: DiffOptions,
  effort: Effort,
): Uint8Array {
  const out = new Output()
  const oldName = quotePath(pair.oldPath, 'a/')
  const newName = quotePath(pair.path, 'b/')
  const differs = pair.old?.oid !== pair.new?.oid
  const header = headerLines(pair, oldName, newName)
  if (!differs) {
    for (const line of header) out.line(line)
    return out.done()
  }
  const write = (content: Content): Uint8Array =>
    writePatch(out, pair, content, header, options, effort)
  return withContent(db, pair, write)
}

function writePatch(
  out: Output,
  pair: FilePair,
  content: Content,
  header: readonly string[],
  options: DiffOptions,
  effort: Effort,
): Uint8Array {
  const oldName = quotePath(pair.oldPath, 'a/')
  const newName = quotePath(pair.path, 'b/')
  const left = pair.old ? oldName : '/dev/null'
  const right = pair.new ? newName : '/dev/null'
  if (content.binary) {
    for (const line of header) out.line(line)
    out.line(`Binary files ${left} and ${right} differ`)
    return out.done()
  }
  const compared = lineChanges(content, false, options.ignoreWhitespace ?? false, effort)
  const { changes } = compared
  // With white space ignored, a file may have no change left.
  const noteworthy = pair.status !== 'modified' || pair.old?.mode !== pair.new?.mode
  if (changes.length === 0 && options.ignoreWhitespace && !noteworthy) return none
  for (const line of header) out.line(line)
  if (changes.length > 0) {
    // A tab follows a name with a space, so that it is not parsed as a name and a date.
    out.line(`--- ${pair.old ? terminated(left) : left}`)
    out.line(`+++ ${pair.new ? terminated(right) : right}`)
    writeHunks(out, compared, options.context ?? 3)
  }
  return out.done()
}

const terminated = (name: string): string => (name.includes(' ') ? `${name}\t` : name)

function headerLines(pair: FilePair, oldName: string, newName: string): string[] {
  const lines = [`diff --git ${oldName} ${newName}`]
  if (!pair.old && pair.new) lines.push(`new file mode ${modeText(pair.new.mode)}`)
  else if (pair.old && !pair.new) lines.push(`deleted file mode ${modeText(pair.old.mode)}`)
  else if (pair.old && pair.new && pair.old.mode !== pair.new.mode) {
    lines.push(`old mode ${modeText(pair.old.mode)}`, `new mode ${modeText(pair.new.mode)}`)
  }
  if (pair.score !== null) {
    lines.push(
      `similarity index ${scorePercent(pair.score)}%`,
      `rename from ${quotePath(pair.oldPath)}`,
      `rename to ${quotePath(pair.path)}`,
    )
  }
  if (pair.old?.oid !== pair.new?.oid) {
    const ids = `${pair.old?.oid.slice(0, SHORT) ?? NOTHING}..${pair.new?.oid.slice(0, SHORT) ?? NOTHING}`
    lines.push(
      pair.old && pair.old.mode === pair.new?.mode
        ? `index ${ids} ${modeText(pair.old.mode)}`
        : `index ${ids}`,
    )
  }
  return lines
}

const SPACE = Buffer.from(' ')
const MINUS = Buffer.from('-')
const PLUS = Buffer.from('+')
const NEWLINE = Buffer.from('\n')
const NO_NEWLINE = Buffer.from('\n\\ No newline at end of file\n')

function writeHunks(out: Output, { old, new: now, changes }: LineChanges, context: number): void {
  const headings = new Headings(old)
  for (const range of hunkRanges(changes, old.count, now.count, context)) {
    const where = `@@ -${position(range.oldFrom, range.oldTo)} +${position(range.newFrom, range.newTo)} @@`
    const heading = headings.above(range.oldFrom)
    out.bytes(Buffer.from(heading.length > 0 ? `${where} ` : where), heading, NEWLINE)
    let at = range.newFrom
    for (const change of range.changes) {
      writeLines(out, SPACE, now, at, change.new)
      writeLines(out, MINUS, old, change.old, change.old + change.oldCount)
      at = change.new + change.newCount
      writeLines(out, PLUS, now, change.new, at)
    }
    writeLines(out, SPACE, now, at, range.newTo)
  }
}

/**
 * `start,count` with lines from 1. The count is omitted when it is 1; an empty range has the line
 * before it.
 */
function position(from: number, to: number): string {
  const count = to - from
  const start = count === 0 ? from : from + 1
  return count === 1 ? `${start}` : `${start},${count}`
}

function writeLines(out: Output, sign: Uint8Array, lines: Lines, from: number, to: number): void {
  for (let i = from; i < to; i++) {
    const line = lines.data.subarray(lines.starts[i] ?? 0, lines.starts[i + 1] ?? 0)
    out.bytes(sign, line)
    if (!endsWithNewline(line)) out.bytes(NO_NEWLINE)
  }
}
