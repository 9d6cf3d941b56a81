// Cards of a board can be dragged to another column, and on boards with an order before or after
// another card. The drop sends the form of the board.
import { closestTo, createElement } from './dom.ts'

let card: HTMLElement | null = null

const columnOf = (event: DragEvent): HTMLElement | null => card && closestTo(event, '[data-column]')

type Place = { readonly side: 'before' | 'after'; readonly at: HTMLElement }

/** The card below the pointer, and on which side of it the dragged one would stand. */
function placeOf(event: DragEvent): Place | null {
  const at = card && closestTo<HTMLElement>(event, '[data-card-key]')
  if (!at || at === card) return null
  const { top, height } = at.getBoundingClientRect()
  return { side: event.clientY < top + height / 2 ? 'before' : 'after', at }
}

const highlight = (column: HTMLElement | null, place: Place | null): void => {
  for (const other of document.querySelectorAll('[data-column]'))
    other.classList.toggle('over', other === column)
  for (const other of document.querySelectorAll('[data-card-key]'))
    for (const side of ['before', 'after'])
      other.classList.toggle(`drop-${side}`, other === place?.at && side === place.side)
}

document.addEventListener('dragstart', (event) => {
  card = closestTo(event, '[data-card]')
})
document.addEventListener('dragover', (event) => {
  const column = columnOf(event)
  if (column) event.preventDefault()
  if (card) highlight(column, placeOf(event))
})
document.addEventListener('drop', (event) => {
  const column = columnOf(event)
  const form = document.querySelector<HTMLFormElement>('[data-board-drop]')
  if (!card || !column || !form) return
  event.preventDefault()
  const from = card.closest<HTMLElement>('[data-column]')?.dataset.column ?? ''
  const to = column.dataset.column ?? ''
  const place = placeOf(event)
  if (from === to && !place) return
  const fields: Record<string, string> = { ...JSON.parse(card.dataset.card ?? '{}'), from, to }
  if (place) fields.place = `${place.side} ${place.at.dataset.cardKey ?? ''}`
  // A form that could not be sent still has those of the last drop.
  for (const field of form.querySelectorAll('[data-of-card]')) field.remove()
  for (const [name, value] of Object.entries(fields))
    form.append(createElement('input', { type: 'hidden', name, value, 'data-of-card': '' }))
  form.requestSubmit()
})
document.addEventListener('dragend', () => {
  card = null
  highlight(null, null)
})
