// A few lines of a change out of their page: below a comment, or as a suggestion.
import type { DiffLine } from '../diff/rows.ts'
import { grammarOfPath, highlightLines } from '../highlight.ts'
import { raw } from '../jsx/html.ts'
import { markBidiControls } from './bidi-controls.tsx'

/** Longer excerpts are shown without highlighting. */
const MAX_HIGHLIGHTED = 32 * 1024

export const DiffExcerpt = ({ path, lines }: { path: string; lines: readonly DiffLine[] }) => {
  const text = lines.map((line) => line.text.replace(/[\r\n]/g, '')).join('\n')
  const html = highlightLines(
    `${text}\n`,
    text.length > MAX_HIGHLIGHTED ? null : grammarOfPath(path),
  )
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
        </tbody>
      </table>
    </div>
  )
}
