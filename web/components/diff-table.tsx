// The lines of one changed file. Rows are built as text and not as JSX, because a page may have
// 20,000 of them. Only rows have classes, for the same reason. Text of a file passes through the highlighter, which escapes it, or through
// `Bun.escapeHTML`.
import { firstLine, lineAfter } from '../diff/expand.ts'
import { fileRows, type DiffCell, type DiffHunk, type DiffRow, type FileRow } from '../diff/rows.ts'
import { hashText } from '../format.ts'
import { escapeLines, grammarOfPath, grammarOfWord, markRanges } from '../highlight.ts'
import { raw, renderChild, type Child } from '../jsx/html.ts'
import { withQuery } from '../paths.ts'
import { BLOCK_ROWS, inBlocks } from './code-view.tsx'
import type { DiffFile, DiffOptions } from './diff-view.tsx'
import { markBidiControls } from './bidi-controls.tsx'
import { plainLine } from './plain-line.ts'
import { t } from '../text.ts'

/**
 * The id of a file on a page of changes. Its lines have the suffix `R<number>` on the new side and
 * `L<number>` on the old.
 */
export const diffAnchor = (path: string): string =>
  `d${hashText(path).toString(36)}${hashText(`${path}\n`).toString(36)}`

/**
 * The address of a file on a page of changes, or of a line of it such as `R12`: `at` is the part that
 * has it.
 */
export function changedLineHref(changes: string, path: string, line = ''): string {
  const at = diffAnchor(path) + line
  return `${withQuery(changes, { at })}#${at}`
}

/** One side of a hunk as a text, and which of its lines are in it. */
type HunkSide = { readonly text: string; readonly indexes: readonly number[] }

/** The rows of one hunk that are shown. */
type ShownHunk = { readonly hunk: DiffHunk; readonly index: number; readonly rows: FileRow[] }

/** Lines before a part that are highlighted with it, so that it begins as the file goes on. */
const MAX_LEADING_LINES = 500

/**
 * The sides of a hunk that are highlighted, each on its own, as far as a part of a file allows: those
 * with lines that the other lacks.
 */
function sidesOf({ hunk, rows }: ShownHunk): HunkSide[] {
  const cells = rows.flatMap(({ lines }) => [lines?.old ?? [], lines?.new ?? []].flat())
  const side = (skip: string): HunkSide => {
    const shown = cells.filter(({ kind }) => kind !== skip)
    const last = shown.at(-1)?.index ?? -1
    const indexes: number[] = []
    const text: string[] = []
    for (let at = Math.max(0, (shown[0]?.index ?? 0) - MAX_LEADING_LINES); at <= last; at++) {
      const line = hunk.lines[at]
      if (!line || line.kind === skip) continue
      indexes.push(at)
      text.push(line.text.replace(/[\r\n]/g, ''))
    }
    // The last line end keeps an empty last line.
    return { text: `${text.join('\n')}\n`, indexes }
  }
  const has = (wanted: string) => cells.some(({ kind }) => kind === wanted)
  if (!has('add')) return [side('add')]
  return has('del') ? [side('add'), side('del')] : [side('del')]
}

/** The lines of a hunk as HTML, from the lines of its sides. */
function linesOfHunk(
  sides: readonly HunkSide[],
  highlighted: readonly (readonly string[])[],
): string[] {
  const html: string[] = []
  for (const [number, { indexes }] of sides.entries())
    for (const [at, index] of indexes.entries()) html[index] = highlighted[number]?.[at] ?? ''
  return html
}

/** What all cells of one file share. */
interface DiffTableContext {
  anchor: string
  path: string
  split: boolean
  options: DiffOptions
  threads: ReadonlyMap<string, Child[]>
}

/**
 * The number of a line is a link to it, which the tab key skips: a page has hundreds. Where lines have
 * a link to comment, that one names the line, and the page has room for more lines. In one column an
 * unchanged line has two numbers, of which the old one has an id for a conversation alone.
 */
const numberCell = (cell: DiffCell | null, side: 'L' | 'R', frame: DiffTableContext): string => {
  if (!cell) return '<td></td>'
  const { kind, number } = cell
  const id = `${frame.anchor}${side}${number}`
  const isNamed = frame.split || side === 'R' || kind !== 'context'
  if (!isNamed && !frame.threads.has(`old${number}`)) return `<td>${number}</td>`
  return isNamed && frame.options.commentHref === undefined
    ? `<td id="${id}"><a href="#${id}" tabindex="-1">${number}</a></td>`
    : `<td id="${id}">${number}</td>`
}

/** The link to a form for a comment. It has no class, because a page has it for each line. */
const commentLink = (cell: DiffCell, side: 'old' | 'new', frame: DiffTableContext): string => {
  const id = `${frame.anchor}${side === 'old' ? 'L' : 'R'}${cell.number}`
  const href = frame.options.commentHref?.(id)
  if (href === undefined) return ''
  const words =
    side === 'old'
      ? t('Comment on old line {number}', { number: cell.number })
      : t('Comment on line {line}', { line: cell.number })
  return `<a href="${Bun.escapeHTML(href)}" aria-label="${Bun.escapeHTML(words)}"></a>`
}

/** The lines of a hunk: as they are, and highlighted. */
interface HunkLines {
  readonly hunk: DiffHunk
  readonly html: readonly string[]
}

/**
 * A line with its colours and marks, as long as the page has room for them. A line that is cut has
 * none.
 */
const lineHtml = (cell: DiffCell, { hunk, html }: HunkLines, { options }: DiffTableContext) => {
  const plain = plainLine(hunk.lines[cell.index]?.text.replace(/[\r\n]/g, '') ?? '')
  if (plain.isCut || (options.room && options.room.bytes <= 0)) return plain.html
  const full = markRanges(html[cell.index] ?? '', cell.marks?.() ?? [])
  if (options.room) options.room.bytes -= full.length - plain.html.length
  return full
}

const sourceCell = (
  cell: DiffCell | null,
  side: 'old' | 'new',
  lines: HunkLines,
  frame: DiffTableContext,
): string => {
  if (!cell) return '<td></td>'
  const note = cell.noNewline
    ? `<span class="no-newline">${Bun.escapeHTML(t('No newline at the end'))}</span>`
    : ''
  const html = markBidiControls(lineHtml(cell, lines, frame)) || '\n'
  return `<td>${commentLink(cell, side, frame)}${html}${note}</td>`
}

/** The threads below a row, by the lines that it shows. */
const threadsBelow = (row: DiffRow, frame: DiffTableContext): string => {
  if (frame.threads.size === 0) return ''
  const below = [
    ...((row.old && frame.threads.get(`old${row.old.number}`)) ?? []),
    ...((row.new && frame.threads.get(`new${row.new.number}`)) ?? []),
  ]
  if (below.length === 0) return ''
  return `<tr class="thread-row"><td colspan="${frame.split ? 4 : 3}"><div class="thread">${renderChild(below)}</div></td></tr>`
}

/** The start of a row, whose class says which sides changed: its cells have none. */
const rowStart = ({ old, new: fresh }: DiffRow): string => {
  const isRemoved = old?.kind === 'del'
  if (fresh?.kind === 'add') return isRemoved ? '<tr class="del add">' : '<tr class="add">'
  return isRemoved ? '<tr class="del">' : '<tr>'
}

const lineRow = (row: DiffRow, html: HunkLines, frame: DiffTableContext): string => {
  const old = numberCell(row.old, 'L', frame)
  const fresh = numberCell(row.new, 'R', frame)
  const cells = frame.split
    ? `${old}${sourceCell(row.old, 'old', html, frame)}${fresh}${sourceCell(row.new, 'new', html, frame)}`
    : `${old}${fresh}${sourceCell(row.new ?? row.old, row.new ? 'new' : 'old', html, frame)}`
  return `${rowStart(row)}${cells}</tr>${threadsBelow(row, frame)}`
}

/**
 * A gap between two hunks up to this size expands at once, a larger one from both ends in steps of
 * this size.
 */
const MAX_WHOLE_GAP_LINES = 40
const EXPAND_LINES = 20

/** A link that shows lines above or below it, or all between two hunks. */
const moreLink = (
  frame: DiffTableContext,
  where: 'above' | 'below' | 'between',
  from: number,
  to: number,
): string => {
  const href = frame.options.expandHref?.(frame.anchor, from, to)
  if (href === undefined) return ''
  const words = Bun.escapeHTML(t('Show lines {from} to {to}', { from, to }))
  return `<a class="${where}" href="${Bun.escapeHTML(href)}" rel="nofollow" data-part title="${words}" aria-label="${words}"></a>`
}

const hunkCells = (frame: DiffTableContext, more: string, text: string): string =>
  `<tr class="hunk"><td class="hunk-mark"${frame.split ? '' : ' colspan="2"'}>${more}</td><td class="hunk-text"${frame.split ? ' colspan="3"' : ''}>${text}</td></tr>`

const hunkText = (hunk: DiffHunk): string =>
  `@@ −${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@ ${Bun.escapeHTML(hunk.heading ?? '')}`

/** The row above a hunk: its position, and links that expand the lines before it. */
const hunkRow = (hunk: DiffHunk, before: DiffHunk | undefined, frame: DiffTableContext): string => {
  const from = before ? lineAfter(before) : 1
  const to = firstLine(hunk) - 1
  const more =
    to < from
      ? ''
      : to - from < MAX_WHOLE_GAP_LINES
        ? moreLink(frame, 'between', from, to)
        : `${before ? moreLink(frame, 'below', from, from + EXPAND_LINES - 1) : ''}${moreLink(frame, 'above', to - EXPAND_LINES + 1, to)}`
  return hunkCells(frame, more, hunkText(hunk))
}

/** After the last hunk the file goes on, unless the end of the file cut the context short. */
const lastRow = (file: DiffFile, frame: DiffTableContext): string => {
  const last = file.hunks.at(-1)
  const isWhole =
    file.status === 'added' ||
    file.status === 'removed' ||
    file.complete === true ||
    file.truncated === true
  if (!last || isWhole || frame.options.expandHref === undefined) return ''
  const tail = last.lines.slice(-3)
  if (
    tail.length < 3 ||
    tail.some(({ kind, no_newline }) => kind !== 'context' || no_newline === true)
  )
    return ''
  const from = lineAfter(last)
  return hunkCells(frame, moreLink(frame, 'below', from, from + EXPAND_LINES - 1), '')
}

const threadsOf = (file: DiffFile, options: DiffOptions): Map<string, Child[]> => {
  const threads = new Map<string, Child[]>()
  for (const thread of [...(options.annotations ?? []), ...(options.threads ?? [])]) {
    if (thread.path !== file.path) continue
    const key = `${thread.side}${thread.line}`
    threads.set(key, [...(threads.get(key) ?? []), thread.content])
  }
  return threads
}

/** The rows of a file that are shown, by hunk. */
function shownHunks(file: DiffFile, split: boolean): ShownHunk[] {
  const rows = fileRows(file.hunks, split).slice(file.part?.from, file.part?.to)
  return [...Map.groupBy(rows, (row) => row.hunk)].flatMap(([index, ofHunk]) => {
    const hunk = file.hunks[index]
    return hunk ? [{ hunk, index, rows: ofHunk }] : []
  })
}

/** The hunks of a file as tables of at most 200 rows. */
export const DiffTable = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const frame: DiffTableContext = {
    anchor: diffAnchor(file.path),
    path: file.path,
    split: options.split === true,
    options,
    threads: threadsOf(file, options),
  }
  const hunks = shownHunks(file, frame.split)
  const sides = hunks.map(sidesOf)
  const render = (lines: readonly (readonly string[])[]): string =>
    renderChild(<DiffBlocks rows={rowsOf(file, frame, { hunks, sides, lines })} frame={frame} />)
  const texts = sides.flat().map(({ text }) => text)
  const grammar = options.plain
    ? null
    : file.language
      ? grammarOfWord(file.language)
      : grammarOfPath(file.path)
  // Side by side the lines scroll on a phone, which the keyboard can do as well.
  const scrolling = frame.split ? { tabindex: '0', role: 'group', 'aria-label': file.path } : {}
  return (
    <div class={['diff-lines', frame.split && 'diff-split']} {...scrolling}>
      {raw(options.page?.placeSource(texts, grammar, render) ?? render(texts.map(escapeLines)))}
    </div>
  )
}

/** The rows of a file that are shown. `lines` are those of all sides of its hunks, in order. */
function rowsOf(
  file: DiffFile,
  frame: DiffTableContext,
  shown: {
    hunks: readonly ShownHunk[]
    sides: readonly (readonly HunkSide[])[]
    lines: readonly (readonly string[])[]
  },
): string[] {
  const rows: string[] = []
  let next = 0
  for (const [at, { hunk, index, rows: ofHunk }] of shown.hunks.entries()) {
    const own = shown.sides[at] ?? []
    const html = linesOfHunk(own, shown.lines.slice(next, (next += own.length)))
    // A part that begins within a hunk says within which.
    if (ofHunk[0]?.lines) rows.push(hunkCells(frame, '', hunkText(hunk)))
    for (const { lines } of ofHunk)
      rows.push(
        lines ? lineRow(lines, { hunk, html }, frame) : hunkRow(hunk, file.hunks[index - 1], frame),
      )
  }
  const last = file.part?.last ? '' : lastRow(file, frame)
  if (last !== '') rows.push(last)
  return rows
}

/** The rows in tables of a limited size, which browsers lay out when they are near the window. */
const DiffBlocks = ({ rows, frame }: { rows: string[]; frame: DiffTableContext }) => {
  const { options } = frame
  return (
    <>
      {inBlocks(rows, options.lazy ?? rows.length > BLOCK_ROWS).map((block) => (
        <div class={block.class}>
          <table class="diff-table" role="presentation">
            <colgroup>
              <col class="col-ln" />
              {frame.split ? <col /> : <col class="col-ln" />}
              {frame.split && <col class="col-ln" />}
              <col />
            </colgroup>
            <tbody>{raw(block.rows.join(''))}</tbody>
          </table>
        </div>
      ))}
    </>
  )
}
