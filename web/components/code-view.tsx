import { bytesText } from '../format.ts'
import { raw, renderChild, type Child } from '../jsx/html.ts'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { markBidiControls } from './bidi-controls.tsx'
import { rich, t, tn } from '../text.ts'

/** The rows of one block of a long table. */
export const BLOCK_ROWS = 200

/**
 * Rows in blocks with their classes. In a `lazy` table the browser lays a block out only near the
 * window (`content-visibility`). The class gives the expected height, in steps of ten rows.
 */
export const inBlocks = <T,>(
  rows: readonly T[],
  lazy: boolean,
): { rows: readonly T[]; class: string }[] => {
  const blocks: { rows: readonly T[]; class: string }[] = []
  for (let at = 0; at < rows.length; at += BLOCK_ROWS) {
    const part = rows.slice(at, at + BLOCK_ROWS)
    blocks.push({
      rows: part,
      class: lazy ? `code-block lazy block-${Math.ceil(part.length / 10)}` : 'code-block',
    })
  }
  return blocks
}

/** The cell beside lines `from_line` to `to_line` of a blame. */
export interface BlameMark {
  from_line: number
  to_line: number
  mark: Child
}

const sourceOf = (html: string): string => markBidiControls(html) || '\n'

/**
 * Lines as items of lists, which count themselves: a page has thousands, and this is the least
 * markup that gives each a number and an address.
 */
const linesOf = (lines: readonly string[], from: number): Child =>
  inBlocks(lines, lines.length > BLOCK_ROWS).map((block, index) => {
    const first = from + index * BLOCK_ROWS
    return (
      <div class={block.class}>
        <ol class="lines" start={first}>
          {raw(
            block.rows.map((html, at) => `<li id="L${first + at}">${sourceOf(html)}</li>`).join(''),
          )}
        </ol>
      </div>
    )
  })

/** Lines with the mark of a blame beside the first of each range. The other cells have no classes. */
const blamedLinesOf = (
  lines: readonly string[],
  from: number,
  blame: readonly BlameMark[],
): Child => {
  const starts = new Map(blame.map((range) => [Math.max(range.from_line, from), range.mark]))
  const rows = lines.map((html, index) => {
    const number = from + index
    const mark = starts.has(number)
      ? `<td class="blame">${renderChild(starts.get(number))}</td>`
      : '<td></td>'
    return `<tr id="L${number}">${mark}<td>${number}</td><td>${sourceOf(html)}</td></tr>`
  })
  return inBlocks(rows, rows.length > BLOCK_ROWS).map((block) => (
    <div class={block.class}>
      <table role="presentation">
        <tbody>{raw(block.rows.join(''))}</tbody>
      </table>
    </div>
  ))
}

/**
 * Numbered source lines. `lines` is finished HTML of the highlighter; `from` is the number of the
 * first. A line has the id `L<number>`, so `#L10` selects it; the browser script adds ranges
 * (`#L10-L20`).
 */
export const CodeView = (props: {
  lines: readonly string[]
  from?: number
  /** How many lines the file has, when these may be a part of them. */
  total?: number
  label: string
  blame?: readonly BlameMark[]
}) => {
  const { lines, from = 1, total = lines.length, blame } = props
  return (
    <section
      class={['code', blame && 'code-blame']}
      aria-label={props.label}
      tabindex="0"
      data-lines={total > lines.length ? total : undefined}
    >
      {blame ? blamedLinesOf(lines, from, blame) : linesOf(lines, from)}
    </section>
  )
}

/**
 * Leads to a line without the browser script, with which the numbers are pressed. The page answers
 * the field `line` with the address of the line.
 */
export const LineForm = ({ action }: { action: string }) => (
  <form class="form-inline line-form-inline no-js-only" action={action} method="get">
    <label class="unseen" for="line-number">
      {t('Line number')}
    </label>
    <input class="input" type="number" id="line-number" name="line" min="1" required />
    <Button small>{t('Go to line')}</Button>
  </form>
)

/**
 * The frame of a file: name, size, actions, content. `later` is the address of the same page with
 * the parts that take long; `parts` are the links to other parts of a long file.
 */
export const FileFrame = (props: {
  parts?: Child
  name?: Child
  lines?: number
  /** Whether lines of the address are those of the source, which is not shown. */
  isRendered?: boolean
  bytes?: number
  facts?: Child
  actions?: Child
  notice?: Child
  id?: string
  later?: string
  children?: Child
}) => (
  <section
    class="file"
    aria-label={t('File')}
    id={props.id}
    data-later={props.later}
    data-lines={props.isRendered ? props.lines : undefined}
  >
    <header class="file-head">
      <span class="file-facts">
        {props.name !== undefined && <span class="strong mono">{props.name}</span>}
        {props.lines !== undefined && (
          <span>{tn('{count} line', '{count} lines', props.lines)}</span>
        )}
        {props.bytes !== undefined && <span>{bytesText(props.bytes)}</span>}
        {props.facts}
      </span>
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </header>
    {props.notice !== undefined && <p class="file-notice">{props.notice}</p>}
    {props.parts && <p class="file-notice file-parts">{props.parts}</p>}
    {props.children}
    {props.parts && (
      <nav class="file-parts" aria-label={t('Lines')}>
        {props.parts}
      </nav>
    )}
  </section>
)

/** Shown in place of binary content. */
export const BinaryNote = ({ bytes, href }: { bytes: number; href: string }) => (
  <div class="binary">
    <Icon name="file" size={24} />
    <p>
      {rich('This file is not text ({bytes}). <a>Download it</a>', {
        bytes: bytesText(bytes),
        a: (inner) => <a href={href}>{inner}</a>,
      })}
    </p>
  </div>
)

/** An image of the repository. Its size, when known, reserves the space. */
export const ImageView = ({
  src,
  alt,
  size,
}: {
  src: string
  alt: string
  size?: { width: number; height: number } | null
}) => (
  <div class="image-view">
    <img src={src} alt={alt} width={size?.width} height={size?.height} loading="lazy" />
  </div>
)
