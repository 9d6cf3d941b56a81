// Cards of a board can be dragged to another column, and on boards with an order before or after
// another card. The drop sends the form that each card has.
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
  const select = card?.querySelector('select')
  if (!column || !select) return
  event.preventDefault()
  const place = placeOf(event)
  if (select.value === column.dataset.column && !place) return
  select.value = column.dataset.column ?? ''
  if (place)
    select.form?.append(
      createElement('input', {
        type: 'hidden',
        name: 'place',
        value: `${place.side} ${place.at.dataset.cardKey ?? ''}`,
      }),
    )
  select.form?.requestSubmit()
})
document.addEventListener('dragend', () => {
  card = null
  highlight(null, null)
})
