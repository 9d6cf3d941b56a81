// Jupyter notebooks. Nothing in a notebook runs: HTML in outputs is shown as its text, scripts are
// not shown at all, and images are those of types that cannot run code.
import { isObject, type JsonObject } from '#lib/json-value.ts'
import { notebookText as textOf, type Cell, type Notebook } from '#lib/notebook.ts'
import { MarkdownBody, type MarkdownBodyOptions } from '../../components/index.ts'
import { grammarOfWord } from '../../highlight.ts'
import { raw, type Child } from '../../jsx/html.ts'
import { rich, t } from '../../text.ts'
import { htmlToText } from './html-to-text.ts'

const MAX_CELLS = 500
const MAX_OUTPUT_LENGTH = 50_000
/** Of all Markdown in the cells of a page. Cells beyond it are shown as their source. */
const MAX_MARKDOWN_LENGTH = 256 * 1024

/** Terminal colours are removed. */
const plain = (text: string): string =>
  text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '').slice(0, MAX_OUTPUT_LENGTH)

const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/**
 * An image of a notebook as a data address. Such addresses are forbidden elsewhere; this one has
 * the type of an image and base64 only.
 */
const picture = (type: (typeof PICTURES)[number], base64: string, alt: string): Child =>
  raw(`<img src="data:${type};base64,${base64}" alt="${Bun.escapeHTML(alt)}">`)

const pictureOf = (data: JsonObject): Child | null => {
  const type = PICTURES.find((name) => typeof data[name] === 'string' || Array.isArray(data[name]))
  if (type === undefined) return null
  const base64 = textOf(data[type]).replace(/\s+/g, '')
  return /^[A-Za-z0-9+/]+=*$/.test(base64)
    ? picture(type, base64, plain(textOf(data['text/plain'])) || t('Output of this cell'))
    : null
}

/** The text of an output in the best of its forms that cannot run. */
const textOfData = (data: JsonObject): string =>
  textOf(data['text/plain']) ||
  textOf(data['text/markdown']) ||
  textOf(data['text/latex']) ||
  htmlToText(textOf(data['text/html']).slice(0, MAX_OUTPUT_LENGTH))

const outputOf = (output: JsonObject): Child => {
  if (output.output_type === 'stream') return <pre>{plain(textOf(output.text))}</pre>
  if (output.output_type === 'error')
    return (
      <pre class="notebook-error">
        {plain(textOf(output.traceback) || `${textOf(output.ename)}: ${textOf(output.evalue)}`)}
      </pre>
    )
  const data = isObject(output.data) ? output.data : {}
  const shown = pictureOf(data)
  if (shown !== null) return shown
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
  language,
  options,
}: {
  cell: Cell
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
    {cell.outputs.map((output) => (
      <div class="notebook-output" tabindex="0" role="group" aria-label={t('Output')}>
        {outputOf(output)}
      </div>
    ))}
  </div>
)

export const NotebookView = ({
  notebook,
  options,
}: {
  notebook: Notebook
  options: MarkdownBodyOptions
}) => {
  let rendered = 0
  const bodyOf = (cell: Cell): Child => {
    if (cell.kind === 'code')
      return <CodeCell cell={cell} language={notebook.language} options={options} />
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
      {notebook.cells.slice(0, MAX_CELLS).map((cell) => (
        <div class="notebook-cell">{bodyOf(cell)}</div>
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
