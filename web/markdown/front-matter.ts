// The YAML at the start of a file, as a table above the document.
import { parseYaml, splitFrontMatter } from '#lib/yaml.ts'

const MAX_ROWS = 100
const MAX_NAME_LENGTH = 200
const MAX_VALUE_LENGTH = 1_000

/** The levels of lists and mappings that are shown: an alias could make them endless. */
const MAX_DEPTH = 2

/** A value as text: `Ada, Bob` for a list, `name: Ada, role: baker` for a mapping. */
function textOf(value: unknown, depth = MAX_DEPTH): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value.slice(0, MAX_VALUE_LENGTH)
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'object' || depth === 0) return '…'
  const parts = Array.isArray(value)
    ? value.slice(0, MAX_ROWS).map((one) => textOf(one, depth - 1))
    : Object.entries(value)
        .slice(0, MAX_ROWS)
        .map(([name, one]) => `${name.slice(0, MAX_NAME_LENGTH)}: ${textOf(one, depth - 1)}`)
  return parts.join(', ').slice(0, MAX_VALUE_LENGTH)
}

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
        `<tr><th scope="row">${Bun.escapeHTML(name.slice(0, MAX_NAME_LENGTH))}</th><td>${Bun.escapeHTML(textOf(value))}</td></tr>`,
    )
  return rows.length === 0
    ? { table: '', body }
    : { table: `<table><tbody>${rows.join('')}</tbody></table>\n`, body }
}
