/** A table of text: rows of cells. `more` when rows or cells were left out. */
export type Table = { readonly rows: readonly (readonly string[])[]; readonly more: boolean }

const MAX_ROWS = 1000
const MAX_COLUMNS = 100

/**
 * Reads comma or tab separated values (RFC 4180), leniently. Null for text without at least two
 * columns.
 */
export function readTable(text: string, separator: ',' | '\t' | ';'): Table | null {
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  let more = false
  const endCell = () => {
    if (row.length < MAX_COLUMNS) row.push(cell)
    else more = true
    cell = ''
  }
  const endRow = () => {
    endCell()
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
  }
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    if (quoted) {
      if (letter !== '"') cell += letter
      else if (text[at + 1] === '"') cell += text[++at]
      else quoted = false
    } else if (letter === '"' && cell === '') quoted = true
    else if (letter === separator) endCell()
    else if (letter === '\n') {
      endRow()
      if (rows.length > MAX_ROWS) return { rows: rows.slice(0, MAX_ROWS), more: true }
    } else if (letter !== '\r') cell += letter
  }
  if (cell !== '' || row.length > 0) endRow()
  return rows.length > 0 && (rows[0]?.length ?? 0) > 1 ? { rows, more } : null
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
