/** Puts a card at a place of its column. */
import type { Tx } from '#core/write.ts'
import { nameKey } from '#features/issues/index.ts'
import type { RepoFacts } from '#core/access.ts'
import { invalid } from '#lib/errors.ts'
import { boardLabels } from './columns.ts'
import { MAX_ORDERED_CARDS } from './schema.ts'
import { listCardRows, setCardOrder, type CardKey, type ColumnRow } from './store.ts'

export type Place = { readonly side: 'before' | 'after'; readonly card: string }

type Board = {
  readonly project_id: string
  /** The repositories of the project that the caller can see. */
  readonly repos: readonly RepoFacts[]
  readonly columns: readonly ColumnRow[]
}

const isSame = (a: CardKey, b: CardKey): boolean => a.repo_id === b.repo_id && a.number === b.number

/** Throws 422 for a name that is no card of the project. */
function findCard({ repos }: Board, { side, card }: Place): CardKey {
  const at = card.lastIndexOf('#')
  const name = card.slice(0, Math.max(0, at)).toLowerCase()
  const repo = repos.find(({ full_name }) => full_name.toLowerCase() === name)
  const number = Number(card.slice(at + 1))
  if (!repo || !Number.isSafeInteger(number))
    throw invalid(side, `${card} is no issue of this board: write owner/name#number`)
  return { repo_id: repo.id, number }
}

/**
 * Moves a card of a column before or after another one there. All cards down to both get a position,
 * so they stay in this order. Throws 422 when the other card is not among the first of the column.
 */
export function placeCard(
  tx: Tx,
  board: Board,
  column: ColumnRow,
  moved: CardKey,
  place: Place,
): void {
  const other = findCard(board, place)
  if (isSame(other, moved)) return
  const shown = listCardRows(tx.db, {
    project_id: board.project_id,
    repo_ids: board.repos.map(({ id }) => id),
    kind: column.kind,
    label: column.label && nameKey(column.label),
    board_labels: boardLabels(board.columns),
    assignee_ids: null,
    limit: MAX_ORDERED_CARDS,
    offset: 0,
  })
  const cards: CardKey[] = shown.filter((card) => !isSame(card, moved))
  const at = cards.findIndex((card) => isSame(card, other))
  if (at < 0)
    throw invalid(
      place.side,
      `${place.card} is not among the first ${MAX_ORDERED_CARDS} cards of the column ${column.name}`,
    )
  const target = place.side === 'before' ? at : at + 1
  const order = [...cards.slice(0, target), moved, ...cards.slice(target)]
  const last = Math.max(
    target,
    shown.findIndex((card) => isSame(card, moved)),
  )
  setCardOrder(
    tx,
    board.project_id,
    { kind: column.kind, label: column.label && nameKey(column.label) },
    order.slice(0, last + 1),
  )
}
