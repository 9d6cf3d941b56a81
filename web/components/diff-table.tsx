// The lines of one changed file. Rows are built as text and not as JSX, because a page may have
// 20,000 of them. Only rows have classes, for the same reason. Text of a file passes through the highlighter, which escapes it, or through
// `Bun.escapeHTML`.
import { firstLine, lineAfter } from '../diff/expand.ts'
import { pairRows, stackRows, type DiffCell, type DiffHunk, type DiffRow } from '../diff/rows.ts'
import { hashText } from '../format.ts'
import { escapeLines, grammarOfPath, grammarOfWord, markRanges } from '../highlight.ts'
import { raw, renderChild, type Child } from '../jsx/html.ts'
import { BLOCK_ROWS, inBlocks } from './code-view.tsx'
import type { DiffFile, DiffOptions } from './diff-view.tsx'
import { markBidiControls } from './bidi-controls.tsx'
import { t } from '../text.ts'

/**
 * The id of a file on a page of changes. Its lines have the suffix `R<number>` on the new side and
 * `L<number>` on the old.
 */
export const diffAnchor = (path: string): string =>
  `d${hashText(path).toString(36)}${hashText(`${path}\n`).toString(36)}`

/** One side of a hunk as a text, and which of its lines are in it. */
type HunkSide = { readonly text: string; readonly indexes: readonly number[] }

/**
 * The sides of a hunk that are highlighted, each on its own, as far as a part of a file allows: those
 * with lines that the other lacks.
 */
function sidesOf(hunk: DiffHunk): HunkSide[] {
  const side = (skip: string): HunkSide => {
    const indexes: number[] = []
    const text: string[] = []
    for (const [index, line] of hunk.lines.entries()) {
      if (line.kind === skip) continue
      indexes.push(index)
      text.push(line.text.replace(/[\r\n]/g, ''))
    }
    // The last line end keeps an empty last line.
    return { text: `${text.join('\n')}\n`, indexes }
  }
  const has = (wanted: string) => hunk.lines.some(({ kind }) => kind === wanted)
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

/** A line has an id for links to it; the script makes its number a link. */
const numberCell = (cell: DiffCell | null, side: 'L' | 'R', frame: DiffTableContext): string =>
  cell ? `<td id="${frame.anchor}${side}${cell.number}">${cell.number}</td>` : '<td></td>'

const sourceCell = (
  cell: DiffCell | null,
  side: 'old' | 'new',
  html: readonly string[],
  frame: DiffTableContext,
): string => {
  if (!cell) return '<td></td>'
  const href = frame.options.commentHref?.(frame.path, side, cell.number)
  const words = () =>
    side === 'old'
      ? t('Comment on old line {number}', { number: cell.number })
      : t('Comment on new line {number}', { number: cell.number })
  const comment =
    href === undefined
      ? ''
      : `<a class="line-comment" href="${Bun.escapeHTML(href)}" aria-label="${Bun.escapeHTML(words())}"></a>`
  const note = cell.noNewline
    ? `<span class="no-newline">${Bun.escapeHTML(t('No newline at the end'))}</span>`
    : ''
  return `<td>${comment}${markBidiControls(markRanges(html[cell.index] ?? '', cell.marks)) || '\n'}${note}</td>`
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

const lineRow = (row: DiffRow, html: readonly string[], frame: DiffTableContext): string => {
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

const moreLink = (frame: DiffTableContext, sign: string, from: number, to: number): string => {
  const href = frame.options.expandHref?.(frame.path, from, to)
  if (href === undefined) return ''
  const words = Bun.escapeHTML(t('Show lines {from} to {to}', { from, to }))
  return `<a href="${Bun.escapeHTML(href)}" rel="nofollow" data-part aria-label="${words}" title="${words}">${sign}</a>`
}

const hunkCells = (frame: DiffTableContext, more: string, text: string): string =>
  `<tr class="hunk"><td class="hunk-mark"${frame.split ? '' : ' colspan="2"'}>${more}</td><td class="hunk-text"${frame.split ? ' colspan="3"' : ''}>${text}</td></tr>`

/** The row above a hunk: its position, and links that expand the lines before it. */
const hunkRow = (hunk: DiffHunk, before: DiffHunk | undefined, frame: DiffTableContext): string => {
  const from = before ? lineAfter(before) : 1
  const to = firstLine(hunk) - 1
  const more =
    to < from
      ? ''
      : to - from < MAX_WHOLE_GAP_LINES
        ? moreLink(frame, '⋯', from, to)
        : `${before ? moreLink(frame, '↓', from, from + EXPAND_LINES - 1) : ''}${moreLink(frame, '↑', to - EXPAND_LINES + 1, to)}`
  return hunkCells(
    frame,
    more,
    `@@ −${hunk.old_start},${hunk.old_lines} +${hunk.new_start},${hunk.new_lines} @@ ${Bun.escapeHTML(hunk.heading ?? '')}`,
  )
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
  return hunkCells(frame, moreLink(frame, '↓', from, from + EXPAND_LINES - 1), '')
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

/** The hunks of a file as tables of at most 200 rows. */
export const DiffTable = ({ file, options }: { file: DiffFile; options: DiffOptions }) => {
  const frame: DiffTableContext = {
    anchor: diffAnchor(file.path),
    path: file.path,
    split: options.split === true,
    options,
    threads: threadsOf(file, options),
  }
  const sides = file.hunks.map(sidesOf)
  const render = (lines: readonly (readonly string[])[]): string =>
    renderChild(<DiffBlocks rows={rowsOf(file, frame, sides, lines)} frame={frame} />)
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

/** All rows of a file. `lines` are those of all sides of its hunks, in order. */
function rowsOf(
  file: DiffFile,
  frame: DiffTableContext,
  sides: readonly (readonly HunkSide[])[],
  lines: readonly (readonly string[])[],
): string[] {
  const rows: string[] = []
  let next = 0
  for (const [index, hunk] of file.hunks.entries()) {
    rows.push(hunkRow(hunk, file.hunks[index - 1], frame))
    const own = sides[index] ?? []
    const html = linesOfHunk(own, lines.slice(next, (next += own.length)))
    const pairs = pairRows(hunk)
    for (const row of frame.split ? pairs : stackRows(pairs)) rows.push(lineRow(row, html, frame))
  }
  const last = lastRow(file, frame)
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
