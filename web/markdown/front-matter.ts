// The YAML at the start of a file, as a table above the document.
import { parseYaml, splitFrontMatter } from '#lib/yaml.ts'

const MAX_ROWS = 100
const MAX_VALUE_LENGTH = 1_000

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (Array.isArray(value)) return value.slice(0, MAX_ROWS).map(plain).join(', ')
  return plain(value)
}

/** A value without what it holds itself, which an alias could make endless. */
const plain = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).slice(0, MAX_VALUE_LENGTH)
    : value === null || value === undefined
      ? ''
      : '…'

/** The table as HTML and the text below it. The table is empty when there is no front matter. */
export function frontMatterTable(text: string): { table: string; body: string } {
  const { yaml, body } = splitFrontMatter(text)
  const values = yaml === null ? null : parseYaml(yaml)
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return { table: '', body: text }
  const rows = Object.entries(values)
    .slice(0, MAX_ROWS)
    .map(
      ([name, value]) =>
        `<tr><th scope="row">${Bun.escapeHTML(name.slice(0, 200))}</th><td>${Bun.escapeHTML(textOf(value).slice(0, MAX_VALUE_LENGTH))}</td></tr>`,
    )
  return rows.length === 0
    ? { table: '', body }
    : { table: `<table><tbody>${rows.join('')}</tbody></table>\n`, body }
}
