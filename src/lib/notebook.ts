/** Reads Jupyter notebooks, which anyone may have written (https://nbformat.readthedocs.io). */
import { isObject, objectOf, type JsonObject } from './json-value.ts'

export type Cell = {
  readonly kind: 'code' | 'markdown' | 'raw'
  /** From format 4.5 on. */
  readonly id: string | null
  readonly source: string
  readonly executionCount: number | null
  readonly outputs: readonly JsonObject[]
}

export type Notebook = { readonly cells: readonly Cell[]; readonly language: string }

const MAX_ID_LENGTH = 100

const records = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** Text is a string or a list of lines. */
export const notebookText = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.filter((part) => typeof part === 'string').join('')
      : ''

const cellOf = ({ cell_type, id, source, execution_count, outputs }: JsonObject): Cell => ({
  kind: cell_type === 'code' || cell_type === 'markdown' ? cell_type : 'raw',
  id: typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : null,
  source: notebookText(source),
  executionCount: typeof execution_count === 'number' ? execution_count : null,
  outputs: records(outputs),
})

const MAX_DEPTH = 100

/** Whether a JSON text has more levels than a notebook needs, which recursive code could not take. */
function isDeep(json: string): boolean {
  let depth = 0
  let inText = false
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at)
    if (inText) {
      if (sign === BACKSLASH) at++
      else if (sign === QUOTE) inText = false
    } else if (sign === QUOTE) inText = true
    else if (sign === BRACKET || sign === BRACE) {
      if (++depth > MAX_DEPTH) return true
    } else if (sign === BRACKET + 2 || sign === BRACE + 2) depth--
  }
  return false
}

const [QUOTE, BACKSLASH, BRACKET, BRACE] = [0x22, 0x5c, 0x5b, 0x7b]

/** Null for other files, for formats before 4, and for values nested too deeply to be read. */
export function parseNotebook(text: string): Notebook | null {
  if (isDeep(text)) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!isObject(value) || typeof value.nbformat !== 'number' || value.nbformat < 4) return null
  if (!Array.isArray(value.cells)) return null
  const metadata = objectOf(value.metadata)
  const language =
    notebookText(objectOf(metadata.language_info).name) ||
    notebookText(objectOf(metadata.kernelspec).language) ||
    'python'
  return { cells: records(value.cells).map(cellOf), language }
}
