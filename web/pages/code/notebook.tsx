// Jupyter notebooks. Nothing in a notebook runs: HTML in outputs is shown as its text, scripts are
// not shown at all, and images are those of types that cannot run code. They have addresses of their own.
import { isObject, type JsonObject } from '#lib/json-value.ts'
import { notebookText as textOf, type Cell, type Notebook } from '#lib/notebook.ts'
import { MarkdownBody, type MarkdownBodyOptions } from '../../components/index.ts'
import { grammarOfWord } from '../../highlight.ts'
import { raw, type Child } from '../../jsx/html.ts'
import { withQuery } from '../../paths.ts'
import { rich, t } from '../../text.ts'
import { htmlToText } from './html-to-text.ts'

const MAX_CELLS = 2_000
const MAX_OUTPUT_LENGTH = 50_000
/** Of all Markdown in the cells of a page. Cells beyond it are shown as their source. */
const MAX_MARKDOWN_LENGTH = 256 * 1024

/** Terminal colours are removed. */
const plain = (text: string): string =>
  text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').slice(0, MAX_OUTPUT_LENGTH)

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

type Picture = { readonly type: string; readonly base64: string }

/** The image that an output has. */
function pictureOf(output: JsonObject): Picture | null {
  const data = isObject(output.data) ? output.data : {}
  const type = PICTURES.find((name) => typeof data[name] === 'string' || Array.isArray(data[name]))
  if (type === undefined) return null
  const base64 = textOf(data[type]).replace(/\s+/g, '')
  return /^[A-Za-z0-9+/]+=*$/.test(base64) ? { type, base64 } : null
}

/** The image of an output of a cell, for its own address. `place` is such as `3.0`. */
export function pictureAt({ cells }: Notebook, place: string): Picture | null {
  const [, cell, output] = /^(\d{1,6})\.(\d{1,6})$/.exec(place) ?? []
  const found = cells[Number(cell)]?.outputs[Number(output)]
  return found === undefined ? null : pictureOf(found)
}

const MAX_ALT_LENGTH = 200

const altOf = (data: JsonObject): string =>
  plain(textOf(data['text/plain'])).slice(0, MAX_ALT_LENGTH) || t('Output of this cell')

/** The text of an output in the best of its forms that cannot run. */
const textOfData = (data: JsonObject): string =>
  textOf(data['text/plain']) ||
  textOf(data['text/markdown']) ||
  textOf(data['text/latex']) ||
  htmlToText(textOf(data['text/html']).slice(0, MAX_OUTPUT_LENGTH))

const outputOf = (output: JsonObject, pictureHref: string): Child => {
  if (output.output_type === 'stream') return <pre>{plain(textOf(output.text))}</pre>
  if (output.output_type === 'error')
    return (
      <pre class="notebook-error">
        {plain(textOf(output.traceback) || `${textOf(output.ename)}: ${textOf(output.evalue)}`)}
      </pre>
    )
  const data = isObject(output.data) ? output.data : {}
  if (pictureOf(output) !== null) return <img src={pictureHref} alt={altOf(data)} loading="lazy" />
  const text = textOfData(data)
  if (text !== '') return <pre>{plain(text)}</pre>
  return Object.keys(data).length > 0 ? (
    <p class="muted small">
      {rich('This output is {keys}, which is not shown here.', {
        keys: Object.keys(data).slice(0, 10).join(', '),
      })}
    </p>
  ) : null
}

const CodeCell = ({
  cell,
  pictureHref,
  language,
  options,
}: {
  cell: Cell
  /** The address of the image of an output. */
  pictureHref: (output: number) => string
  language: string
  options: MarkdownBodyOptions
}) => (
  <div class="notebook-code">
    <span class="notebook-count mono muted">[{cell.executionCount ?? ' '}]</span>
    <pre class="notebook-source" tabindex="0" role="group" aria-label={t('Code')}>
      <code>
        {raw(
          options.page.placeSource([cell.source], grammarOfWord(language), ([lines = []]) =>
            lines.join('\n'),
          ),
        )}
      </code>
    </pre>
    {cell.outputs.map((output, at) => (
      <div class="notebook-output" tabindex="0" role="group" aria-label={t('Output')}>
        {outputOf(output, pictureHref(at))}
      </div>
    ))}
  </div>
)

export const NotebookView = ({
  notebook,
  rawHref,
  options,
}: {
  notebook: Notebook
  /** The address of the file. */
  rawHref: string
  options: MarkdownBodyOptions
}) => {
  let rendered = 0
  const bodyOf = (cell: Cell, at: number): Child => {
    if (cell.kind === 'code')
      return (
        <CodeCell
          cell={cell}
          pictureHref={(output) => withQuery(rawHref, { picture: `${at}.${output}` })}
          language={notebook.language}
          options={options}
        />
      )
    if (cell.kind === 'markdown') rendered += cell.source.length
    return cell.kind === 'markdown' && rendered <= MAX_MARKDOWN_LENGTH ? (
      <MarkdownBody text={cell.source} options={options} />
    ) : (
      <pre tabindex="0" role="group" aria-label={t('Text')}>
        {cell.source}
      </pre>
    )
  }
  return (
    <div class="notebook">
      {notebook.cells.slice(0, MAX_CELLS).map((cell, at) => (
        <div class="notebook-cell">{bodyOf(cell, at)}</div>
      ))}
      {notebook.cells.length > MAX_CELLS && (
        <p class="muted">
          {rich('The first {maxCells} of {cells} cells are shown.', {
            maxCells: MAX_CELLS,
            cells: notebook.cells.length,
          })}
        </p>
      )}
    </div>
  )
}
