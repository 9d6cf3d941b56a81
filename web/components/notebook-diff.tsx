// What changed in a notebook, cell by cell: the lines of sources. Outputs are named and folded away,
// because they follow from the sources; the lines of the file have them.
import type { DiffHunk } from '../diff/rows.ts'
import { DiffTable } from './diff-table.tsx'
import type { DiffOptions } from './diff-view.tsx'
import { t, texts, tn } from '../text.ts'

export interface NotebookChange {
  readonly language: string
  readonly unchanged: number
  readonly cells: readonly {
    readonly status: 'added' | 'removed' | 'modified'
    readonly kind: 'code' | 'markdown' | 'raw'
    readonly number: number
    readonly hunks: readonly DiffHunk[]
    readonly outputs_changed: boolean
  }[]
}

type CellChange = NotebookChange['cells'][number]

const STATUS: Record<CellChange['status'], string> = texts({
  added: 'Added',
  removed: 'Removed',
  modified: 'Modified',
})

const titleOf = ({ kind, number }: CellChange): string =>
  kind === 'code'
    ? t('Code cell {number}', { number })
    : kind === 'markdown'
      ? t('Markdown cell {number}', { number })
      : t('Text cell {number}', { number })

/** `path` makes the ids of the lines unique on the page. */
export const NotebookDiff = ({
  path,
  change,
  options,
}: {
  path: string
  change: NotebookChange
  options: Pick<DiffOptions, 'split' | 'page' | 'plain'>
}) => (
  <div class="notebook-diff">
    {change.cells.map((cell, index) => (
      <section class="notebook-change" aria-label={titleOf(cell)}>
        <p class="notebook-change-head">
          <strong>{titleOf(cell)}</strong> <span class="muted">{STATUS[cell.status]}</span>
          {cell.outputs_changed && <span class="muted"> · {t('Outputs changed')}</span>}
        </p>
        {cell.hunks.length > 0 && (
          <DiffTable
            file={{
              path: `${path} ${index}`,
              language: cell.kind === 'code' ? change.language : cell.kind,
              status: cell.status,
              additions: 0,
              deletions: 0,
              hunks: cell.hunks,
            }}
            options={options}
          />
        )}
      </section>
    ))}
    {change.unchanged > 0 && (
      <p class="muted notebook-change-head">
        {tn('{count} unchanged cell', '{count} unchanged cells', change.unchanged)}
      </p>
    )}
  </div>
)
