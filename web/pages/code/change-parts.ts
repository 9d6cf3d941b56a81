// Changes come in parts: each has as many files and lines as fit into a budget of HTML, so that a page
// stays below 100 KB. A file that fits into a part is not cut. `?at=` names the part with a file or a
// line, by its id on the page.
import { diffAnchor, type DiffFile } from '../../components/index.ts'
import { colourBytes, plainLine } from '../../components/plain-line.ts'
import { firstLine } from '../../diff/expand.ts'
import {
  fileRows,
  lineIdOf,
  type DiffCell,
  type DiffHunk,
  type DiffRow,
  type FilePart,
  type FileRow,
} from '../../diff/rows.ts'
import { grammarOfPath } from '../../highlight.ts'
import { t } from '../../text.ts'

/** The HTML of the files of one part and of their tree. The rest of the page has up to 32 KB. */
const MAX_BYTES = 68_000
/** A tree of all files of a page is at most this large. A larger one has those of the part alone. */
const MAX_TREE_BYTES = 22_000
/** A line of the tree, and a folder in it, without their paths. */
const TREE_LINE_BYTES = 145
const TREE_FOLDER_BYTES = 100
/** A file that is too large for a part begins where this much is left, else in the next part. */
const MIN_BEGUN_BYTES = 15_000

/** The frame of a file, without its path, which is in it several times. */
const FRAME_BYTES = 1_150
const PATHS_IN_FRAME = 8
/** What stands in place of lines, and an image with the choice of how it is compared. */
const NOTE_BYTES = 500
const IMAGE_BYTES = 3_500
/** The elements of a row, and those of a cell with a number, without its ids. */
const ROW_BYTES = 25
const NUMBER_BYTES = 15
const NUMBER_LINK_BYTES = 32
const EMPTY_CELL_BYTES = 9
const COMMENT_LINK_BYTES = 30
const NO_NEWLINE_BYTES = 80
/** The head of a hunk, and one link in it that expands lines. */
const HUNK_BYTES = 140
const EXPAND_LINK_BYTES = 170
/** The marks of the words that changed in a line, on average. */
const WORD_MARKS_BYTES = 26

/** What a page adds to the lines of a change. */
export interface PartOptions {
  readonly split: boolean
  /** The length of the query that links keep. */
  readonly queryBytes: number
  /** Lines have a link to comment on them. */
  readonly canComment: boolean
  /** The HTML of the files, with their lines in the tree unless it has all files of the page. */
  readonly maxBytes: number
  readonly isTreeWhole: boolean
  /** What is below a line. */
  readonly bytesBelow?: (path: string, side: 'old' | 'new', line: number) => number
}

/** A file or a line of a change, by its id on the page. */
export interface LineLocation {
  readonly anchor: string
  /** Such as `R12`; empty for the file. */
  readonly line: string
}

/** Names the last part of a page of files. */
export const LAST_PART = 'end'

export function parseLocation(at: string): LineLocation | null {
  const [, anchor, line = ''] = /^(d[0-9a-z]+)([LR]\d{1,9})?$/.exec(at) ?? []
  return anchor === undefined ? null : { anchor, line }
}

/** What a tree of files needs on the page. */
function treeBytes(files: readonly DiffFile[]): number {
  const folders = new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf('/') + 1)))
  const lines = files.reduce((total, { path }) => total + TREE_LINE_BYTES + 1.5 * path.length, 0)
  return [...folders].reduce((total, path) => total + TREE_FOLDER_BYTES + path.length, lines)
}

/**
 * Whether the tree has all files of a page or those of a part alone, and how much is left for the files
 * of the part.
 */
export function roomBesideTree(files: readonly DiffFile[]): { isWhole: boolean; maxBytes: number } {
  const bytes = treeBytes(files)
  const isWhole = bytes <= MAX_TREE_BYTES
  return { isWhole, maxBytes: MAX_BYTES - (isWhole ? bytes : 0) }
}

/** The files of a part, of which the first and the last may have only some of their rows. */
export interface ChangePart<T extends DiffFile> {
  readonly files: readonly T[]
  /** How many files of the page are before these. */
  readonly skipped: number
  /** What the colours and marked words of the lines may need. */
  readonly room: { bytes: number }
  /** The ids with which the parts before and after begin; null at the ends of the page of files. */
  readonly before: string | null
  readonly after: string | null
}

const hasLines = ({ hunks, binary, reason }: DiffFile): boolean =>
  hunks.length > 0 && binary !== true && reason !== 'too_large'

/** A file with the size of its rows. `colours` may be left out where there is no room. */
interface MeasuredFile {
  readonly rows: readonly FileRow[]
  readonly bytes: readonly number[]
  readonly colours: readonly number[]
  /** The file without its rows. */
  readonly frame: number
}

function measureFile(file: DiffFile, options: PartOptions): MeasuredFile {
  const path = Buffer.byteLength(Bun.escapeHTML(encodeURI(file.path.toWellFormed())))
  const frame =
    FRAME_BYTES +
    PATHS_IN_FRAME * path +
    (file.old_path ? Buffer.byteLength(Bun.escapeHTML(file.old_path)) : 0) +
    (options.isTreeWhole ? 0 : treeBytes([file]))
  if (!hasLines(file))
    return {
      rows: [],
      bytes: [],
      colours: [],
      frame: frame + (file.binary || file.reason === 'binary' ? IMAGE_BYTES : NOTE_BYTES),
    }
  const rows = fileRows(file.hunks, options.split)
  const sizes = rows.map(rowSize(file, options))
  return {
    rows,
    bytes: sizes.map(([bytes]) => bytes),
    colours: sizes.map(([, colours]) => colours),
    frame,
  }
}

/** The bytes of a row, and how many its colours and marked words need beside them. */
type RowSize = [bytes: number, colours: number]

/** What the label of a link to comment has. */
const commentWordsBytes = (): number =>
  Math.max(
    Buffer.byteLength(t('Comment on line {line}')),
    Buffer.byteLength(t('Comment on old line {number}')),
  )

/** The head of a hunk, with the links that expand lines before it. */
const hunkSize = (hunk: DiffHunk | undefined, linkBytes: number): RowSize => [
  HUNK_BYTES +
    6 * (hunk?.heading?.length ?? 0) +
    (hunk && firstLine(hunk) > 1 ? 2 : 1) * (EXPAND_LINK_BYTES + linkBytes),
  0,
]

function rowSize(file: DiffFile, options: PartOptions): (row: FileRow) => RowSize {
  const { split, queryBytes, canComment, bytesBelow } = options
  const { path, hunks } = file
  const id = diffAnchor(path).length + 1
  const isPlain = grammarOfPath(path) === null
  // What a notebook shows cell by cell is in its lines too.
  const times = /\.ipynb$/i.test(path) ? 2 : 1
  const numberBytes = (cell: DiffCell | null, isNamed: boolean) => {
    if (!cell) return EMPTY_CELL_BYTES
    const digits = String(cell.number).length
    if (!isNamed) return EMPTY_CELL_BYTES + digits
    return NUMBER_BYTES + id + 2 * digits + (canComment ? 0 : NUMBER_LINK_BYTES + id + digits)
  }
  const link = canComment ? COMMENT_LINK_BYTES + queryBytes + id + commentWordsBytes() : 0
  const below = (side: 'old' | 'new', cell: DiffCell | null) =>
    cell ? (bytesBelow?.(path, side, cell.number) ?? 0) : 0

  const sourceSize = (hunk: number, cell: DiffCell | null): RowSize => {
    if (!cell) return [EMPTY_CELL_BYTES, 0]
    const text = hunks[hunk]?.lines[cell.index]?.text ?? ''
    const plain = plainLine(text)
    const colours = isPlain || plain.isCut ? 0 : colourBytes(text)
    const digits = 2 * String(cell.number).length
    return [
      EMPTY_CELL_BYTES +
        (link && link + digits) +
        plain.bytes +
        (cell.noNewline ? NO_NEWLINE_BYTES : 0),
      colours + (cell.marks === null ? 0 : WORD_MARKS_BYTES),
    ]
  }
  const linesSize = (hunk: number, { old, new: fresh }: DiffRow): RowSize => {
    const cells = split ? [old, fresh] : [fresh ?? old]
    const sources = cells.map((cell) => sourceSize(hunk, cell))
    return [
      ROW_BYTES +
        numberBytes(old, split || old?.kind === 'del') +
        numberBytes(fresh, true) +
        sources.reduce((sum, [bytes]) => sum + bytes, 0) +
        below('old', old) +
        below('new', fresh),
      sources.reduce((sum, [, colours]) => sum + colours, 0),
    ]
  }
  return ({ hunk: index, lines }) => {
    if (!lines) return hunkSize(hunks[index], queryBytes + 2 * id)
    const [bytes, colours] = linesSize(index, lines)
    return [bytes * times, colours * times]
  }
}

/** Rows `from` to `to` of a file. */
interface Piece {
  readonly index: number
  readonly from: number
  readonly to: number
  readonly rows: readonly FileRow[]
}

/** How many rows fit from one on: at least one with lines, and no head of a hunk at the end. */
function rowsThatFit(file: MeasuredFile, from: number, maxBytes: number): number {
  let left = maxBytes - file.frame
  let to = from
  while (to < file.rows.length) {
    left -= (file.bytes[to] ?? 0) + (file.colours[to] ?? 0)
    if (left < 0) break
    to++
  }
  if (to < file.rows.length && to > from && file.rows[to - 1]?.lines === null) to--
  if (to > from || from === file.rows.length) return to
  return file.rows[from]?.lines ? from + 1 : from + 2
}

/** The size of rows `from` to `to` of a file in their frame. */
function sizeOf(file: MeasuredFile, from: number, to: number, withColours: boolean): number {
  let total = file.frame
  for (let at = from; at < to; at++)
    total += (file.bytes[at] ?? 0) + (withColours ? (file.colours[at] ?? 0) : 0)
  return total
}

/** The last line of the rows before one. Empty at the start of the file. */
const lineBefore = (rows: readonly FileRow[], at: number): string => {
  const row = rows.slice(0, at).findLast(({ lines }) => lines)?.lines
  return row ? lineIdOf(row) : ''
}

const lineFrom = (rows: readonly FileRow[], at: number): string => {
  const row = (rows[at]?.lines ?? rows[at + 1]?.lines) || null
  return row ? lineIdOf(row) : ''
}

const withPart = <T extends DiffFile>(file: T, { from, to, rows }: Piece): T => {
  if (from === 0 && to === rows.length) return file
  const part: FilePart = {
    from,
    to,
    after: lineBefore(rows, from),
    last: to === rows.length ? '' : lineBefore(rows, to),
  }
  return { ...file, part }
}

/** Where a piece begins: at a file, or at a line of it. */
const startOf = (files: readonly DiffFile[], { index, from, rows }: Piece): string =>
  diffAnchor(files[index]?.path ?? '') + (from === 0 ? '' : lineFrom(rows, from))

const indexOfLine = (rows: readonly FileRow[], line: string): number => {
  const number = Number(line.slice(1))
  const side = line.startsWith('L') ? 'old' : 'new'
  return rows.findIndex(({ lines }) => lines?.[side]?.number === number)
}

/** The pieces of one part, and their size without colours. */
interface Part {
  readonly pieces: readonly Piece[]
  readonly bytes: number
}

/** All parts in order. */
function* partsOf(files: readonly DiffFile[], options: PartOptions): Generator<Part> {
  const { maxBytes } = options
  let pieces: Piece[] = []
  let bytes = 0
  let planned = 0
  const close = (): Part => {
    const part = { pieces, bytes }
    pieces = []
    bytes = 0
    planned = 0
    return part
  }
  for (const [index, file] of files.entries()) {
    const measured = measureFile(file, options)
    const { rows } = measured
    const left = maxBytes - planned
    const total = sizeOf(measured, 0, rows.length, true)
    if (pieces.length > 0 && total > left && (total <= maxBytes || left < MIN_BEGUN_BYTES))
      yield close()
    for (let from = 0; ; ) {
      const to = rowsThatFit(measured, from, maxBytes - planned)
      pieces.push({ index, from, to, rows })
      bytes += sizeOf(measured, from, to, false)
      planned += sizeOf(measured, from, to, true)
      from = to
      if (to >= rows.length) break
      yield close()
    }
  }
  if (pieces.length > 0) yield close()
}

/** Whether a piece begins at a location, or has its line. A line that no row has stands for its file. */
function hasLocation(
  files: readonly DiffFile[],
  { index, from, to, rows }: Piece,
  { anchor, line }: LineLocation,
): boolean {
  if (diffAnchor(files[index]?.path ?? '') !== anchor) return false
  const at = line === '' ? 0 : Math.max(0, indexOfLine(rows, line))
  return at >= from && (at < to || rows.length === 0)
}

/** The part of a page of files that has a location; the first one without. */
export function partOfChange<T extends DiffFile>(
  files: readonly T[],
  at: string,
  options: PartOptions,
): ChangePart<T> {
  const location = parseLocation(at)
  const isWanted = ({ pieces }: Part) =>
    location === null
      ? at !== LAST_PART
      : pieces.some((piece) => hasLocation(files, piece, location))
  const parts: Part[] = []
  let wanted = -1
  for (const part of partsOf(files, options)) {
    parts.push(part)
    // The part after the wanted one is needed for the link to it.
    if (wanted >= 0) break
    if (isWanted(part)) wanted = parts.length - 1
  }
  if (wanted < 0) wanted = at === LAST_PART ? parts.length - 1 : 0
  const { pieces, bytes } = parts[wanted] ?? { pieces: [], bytes: 0 }
  const startOfPart = (part: Part | undefined) =>
    part?.pieces[0] ? startOf(files, part.pieces[0]) : null
  return {
    files: pieces.flatMap((piece) => {
      const file = files[piece.index]
      return file ? [withPart(file, piece)] : []
    }),
    skipped: pieces[0]?.index ?? 0,
    room: { bytes: options.maxBytes - bytes },
    before: startOfPart(parts[wanted - 1]),
    after: startOfPart(parts[wanted + 1]),
  }
}

/**
 * The rows of one file for a page that is open: those after a line up to another one, such as
 * `R12-R40`. Without the last one, as many as fit into a part.
 */
export function linesOfFile<T extends DiffFile>(
  file: T,
  lines: string,
  options: PartOptions,
): ChangePart<T> {
  const [after = '', last = ''] = lines.split('-')
  const measured = measureFile(file, options)
  const { rows } = measured
  const from = after === '' ? 0 : indexOfLine(rows, after) + 1
  const end = last === '' ? -1 : indexOfLine(rows, last)
  const to = end >= from ? end + 1 : rowsThatFit(measured, from, options.maxBytes)
  return {
    files: [withPart(file, { index: 0, from, to, rows })],
    skipped: 0,
    room: { bytes: options.maxBytes - sizeOf(measured, from, to, false) },
    before: null,
    after: null,
  }
}

/** The ids of the lines that a page has. */
export function linesShown(files: readonly DiffFile[], split: boolean): Set<string> {
  const ids = new Set<string>()
  for (const file of files) {
    if (!hasLines(file)) continue
    const anchor = diffAnchor(file.path)
    for (const { lines } of fileRows(file.hunks, split).slice(file.part?.from, file.part?.to)) {
      if (lines?.old) ids.add(`${anchor}L${lines.old.number}`)
      if (lines?.new) ids.add(`${anchor}R${lines.new.number}`)
    }
  }
  return ids
}
