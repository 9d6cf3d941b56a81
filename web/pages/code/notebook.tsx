// Jupyter notebooks (https://nbformat.readthedocs.io). Nothing in a notebook runs: HTML and scripts
// in outputs are replaced by their plain text, and images are shown.
import { isObject } from '#lib/json-value.ts'
import { MarkdownBody, type MarkdownBodyOptions } from '../../components/index.ts'
import { grammarOfWord } from '../../highlight.ts'
import { raw, type Child } from '../../jsx/html.ts'
import { rich, t } from '../../text.ts'

type Json = Record<string, unknown>

const MAX_CELLS = 500
const MAX_OUTPUT_LENGTH = 50_000

const records = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Text is a string or a list of lines. */
const textOf = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.filter((part) => typeof part === 'string').join('')
      : ''

export type Notebook = { readonly cells: readonly Json[]; readonly language: string }

/**
 * The cells of a notebook. Null for other files and for formats before 4, which are shown as
 * source.
 */
export function readNotebook(text: string): Notebook | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (
    !isObject(value) ||
    typeof value.nbformat !== 'number' ||
    value.nbformat < 4 ||
    !Array.isArray(value.cells)
  )
    return null
  const metadata = isObject(value.metadata) ? value.metadata : {}
  const [info, kernel] = [metadata.language_info, metadata.kernelspec]
  const language =
    (isObject(info) && textOf(info.name)) ||
    (isObject(kernel) && textOf(kernel.language)) ||
    'python'
  return { cells: records(value.cells), language }
}

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

const outputOf = (output: Json): Child => {
  if (output.output_type === 'stream') return <pre>{plain(textOf(output.text))}</pre>
  if (output.output_type === 'error')
    return (
      <pre class="notebook-error">
        {plain(textOf(output.traceback) || `${textOf(output.ename)}: ${textOf(output.evalue)}`)}
      </pre>
    )
  const data = isObject(output.data) ? output.data : {}
  const type = PICTURES.find((name) => typeof data[name] === 'string' || Array.isArray(data[name]))
  if (type !== undefined) {
    const base64 = textOf(data[type]).replace(/\s+/g, '')
    if (/^[A-Za-z0-9+/]+=*$/.test(base64))
      return picture(type, base64, plain(textOf(data['text/plain'])) || t('Output of this cell'))
  }
  const text = textOf(data['text/plain'])
  if (text !== '') return <pre>{plain(text)}</pre>
  return Object.keys(data).length > 0 ? (
    <p class="muted small">
      {rich('This output is {keys}, which is not shown here.', {
        keys: Object.keys(data).join(', '),
      })}
    </p>
  ) : null
}

const cellOf = (cell: Json, language: string, options: MarkdownBodyOptions): Child => {
  const source = textOf(cell.source)
  if (cell.cell_type === 'markdown') return <MarkdownBody text={source} options={options} />
  if (cell.cell_type !== 'code') return <pre>{source}</pre>
  const count = cell.execution_count
  return (
    <div class="notebook-code">
      <span class="notebook-count mono muted">[{typeof count === 'number' ? count : ' '}]</span>
      <pre class="notebook-source" tabindex="0" role="group" aria-label={t('Code')}>
        <code>
          {raw(
            options.page.placeSource([source], grammarOfWord(language), ([lines = []]) =>
              lines.join('\n'),
            ),
          )}
        </code>
      </pre>
      {records(cell.outputs).map((output) => (
        <div class="notebook-output" tabindex="0" role="group" aria-label={t('Output')}>
          {outputOf(output)}
        </div>
      ))}
    </div>
  )
}

export const NotebookView = ({
  notebook,
  options,
}: {
  notebook: Notebook
  options: MarkdownBodyOptions
}) => (
  <div class="notebook">
    {notebook.cells.slice(0, MAX_CELLS).map((cell) => (
      <div class="notebook-cell">{cellOf(cell, notebook.language, options)}</div>
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
