// A file of comma or tab separated values as a table. A long one comes in parts, each with its head.
import { Pagination } from '../../components/index.ts'
import { formatNumber } from '../../format.ts'
import { pageNumber } from '../../page-number.ts'
import { withQuery } from '../../paths.ts'
import type { Visit } from '../../site.ts'
import { t } from '../../text.ts'
import type { Table } from './csv.ts'
import { MAX_PART_BYTES } from './file-parts.ts'

type Cells = readonly string[]

/** The elements around a cell, and around a row. */
const CELL_BYTES = 10
const ROW_BYTES = 9

const bytesOf = (row: Cells): number =>
  row.reduce((sum, cell) => sum + CELL_BYTES + Buffer.byteLength(Bun.escapeHTML(cell)), ROW_BYTES)

/** The rows of each part, below its head. A part has at least one. */
export function tableParts(head: Cells, rows: readonly Cells[]): (readonly Cells[])[] {
  const parts: Cells[][] = [[]]
  let left = MAX_PART_BYTES - bytesOf(head)
  for (const row of rows) {
    const bytes = bytesOf(row)
    if (bytes > left && parts.at(-1)?.length !== 0) {
      parts.push([])
      left = MAX_PART_BYTES - bytesOf(head)
    }
    parts.at(-1)?.push(row)
    left -= bytes
  }
  return parts
}

export const TableView = ({ visit, table }: { visit: Visit; table: Table }) => {
  const [head = [], ...rows] = table.rows
  const parts = tableParts(head, rows)
  const page = Math.min(pageNumber(visit), parts.length)
  const shown = parts[page - 1] ?? []
  const before = parts.slice(0, page - 1).reduce((sum, part) => sum + part.length, 0)
  return (
    <>
      {parts.length > 1 && (
        <p class="file-notice">
          {t('Rows {from} to {to} of {total}', {
            from: formatNumber(before + 1),
            to: formatNumber(before + shown.length),
            total: formatNumber(rows.length),
          })}
        </p>
      )}
      <section class="csv" aria-label={t('Table')} tabindex="0">
        <table>
          <thead>
            <tr>
              {head.map((cell) => (
                <th scope="col">{cell}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr>
                {row.map((cell) => (
                  <td>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <Pagination
        page={page}
        perPage={1}
        total={parts.length}
        href={(number) => withQuery(visit.url.pathname, { page: number > 1 ? number : undefined })}
        label={t('Parts of this table')}
      />
      {table.more && (
        <p class="file-notice">{t('Not all of this table is shown. Its source has all of it.')}</p>
      )}
    </>
  )
}
