/** A table of text: rows of cells. `more` when cells or parts of them were left out. */
export type Table = { readonly rows: readonly (readonly string[])[]; readonly more: boolean }

const MAX_COLUMNS = 100
const MAX_CELL_CHARS = 500

/**
 * Reads comma or tab separated values (RFC 4180), leniently. Null for text whose first row has only
 * one column.
 */
export function readTable(text: string, separator: ',' | '\t' | ';'): Table | null {
  const rows: string[][] = []
  let row: string[] = []
  let more = false
  const cellEnd = new RegExp(`[${separator}\n]`, 'g')
  let at = 0
  do {
    const cell = readCell(text, at, cellEnd)
    at = cell.end + 1
    const { value } = cell
    if (row.length === MAX_COLUMNS || value.length > MAX_CELL_CHARS) more = true
    if (row.length < MAX_COLUMNS)
      row.push(
        value.length > MAX_CELL_CHARS ? `${value.slice(0, MAX_CELL_CHARS).toWellFormed()}…` : value,
      )
    if (text[cell.end] === separator) continue
    if (row.length > 1 || row[0] !== '') {
      if (rows.length === 0 && row.length < 2) return null
      rows.push(row)
    }
    row = []
  } while (at <= text.length)
  return rows.length > 0 ? { rows, more } : null
}

/**
 * Reads the cell at `at`. Its `end` is the index of the separator or line feed after it, or the
 * length of the text. It copies slices, not letters: a cell can be as long as a file.
 */
function readCell(text: string, at: number, cellEnd: RegExp): { value: string; end: number } {
  let value = ''
  let rest = at
  if (text[at] === '"') {
    rest = at + 1
    for (;;) {
      const quote = text.indexOf('"', rest)
      if (quote < 0) return { value: value + text.slice(rest), end: text.length }
      value += text.slice(rest, quote)
      rest = quote + 1
      if (text[rest] !== '"') break
      value += '"'
      rest += 1
    }
  }
  cellEnd.lastIndex = rest
  const end = cellEnd.exec(text)?.index ?? text.length
  return { value: value + text.slice(rest, end).replaceAll('\r', ''), end }
}

/**
 * The separator: a tab for .tsv, otherwise comma or semicolon, whichever the first line has more
 * of.
 */
export function separatorOf(path: string, text: string): ',' | '\t' | ';' {
  if (/\.tsv$/i.test(path)) return '\t'
  const first = text.slice(0, 4000).split('\n', 1)[0] ?? ''
  return first.split(';').length > first.split(',').length ? ';' : ','
}
