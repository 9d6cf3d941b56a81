// A few lines of a change out of their page: below a comment, or as a suggestion.
import type { DiffLine } from '../diff/rows.ts'
import { grammarOfPath, highlightLines } from '../highlight.ts'
import { raw } from '../jsx/html.ts'
import { markBidiControls } from './bidi-controls.tsx'
import { beginningOfText, firstItems, htmlBytes } from './text-beginning.tsx'
import { tn } from '../text.ts'

/** What the texts of an excerpt have together, and those of one line. Their markup is about as much. */
const MAX_TEXT_BYTES = 3_000
const MAX_LINE_BYTES = 1_000
const LINE_BYTES = 60

/** The first lines that an excerpt has room for. The ends of long lines are left out. */
function shortLines(lines: readonly DiffLine[]): DiffLine[] {
  const cut = lines.map((line) => {
    const text = line.text.replace(/[\r\n]/g, '')
    const beginning = beginningOfText(text, MAX_LINE_BYTES)
    return { ...line, text: beginning.length < text.length ? `${beginning} …` : beginning }
  })
  return [...firstItems(cut, MAX_TEXT_BYTES, ({ text }) => LINE_BYTES + htmlBytes(text))]
}

/** Lines of a change. Those that are too many or too long for an excerpt are on the page of the change. */
export const DiffExcerpt = (of: { path: string; lines: readonly DiffLine[] }) => {
  const lines = shortLines(of.lines)
  const text = lines.map((line) => line.text).join('\n')
  const html = highlightLines(`${text}\n`, grammarOfPath(of.path))
  return (
    <div class="diff-lines diff-excerpt">
      <table class="diff-table" role="presentation">
        <colgroup>
          <col class="col-ln" />
          <col class="col-ln" />
          <col />
        </colgroup>
        <tbody>
          {lines.map(({ kind, ...line }, at) => (
            <tr class={kind === 'context' ? undefined : kind}>
              <td>{line.old}</td>
              <td>{line.new}</td>
              <td>{raw(markBidiControls(html[at] ?? '') || '\n')}</td>
            </tr>
          ))}
          {lines.length < of.lines.length && (
            <tr>
              <td colspan="3" class="muted">
                {tn('{count} more line', '{count} more lines', of.lines.length - lines.length)}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  )
}
