// Cards of a board can be dragged to another column. The drop sends the form that each card has.
import { closestTo } from './dom.ts'

let card: HTMLElement | null = null

const columnOf = (event: DragEvent): HTMLElement | null => card && closestTo(event, '[data-column]')

const highlight = (column: HTMLElement | null): void => {
  for (const other of document.querySelectorAll('[data-column]'))
    other.classList.toggle('over', other === column)
}

document.addEventListener('dragstart', (event) => {
  card = closestTo(event, '[data-card]')
})
document.addEventListener('dragover', (event) => {
  const column = columnOf(event)
  if (column) event.preventDefault()
  if (card) highlight(column)
})
document.addEventListener('drop', (event) => {
  const column = columnOf(event)
  const select = card?.querySelector('select')
  if (!column || !select) return
  event.preventDefault()
  if (select.value === column.dataset.column) return
  select.value = column.dataset.column ?? ''
  select.form?.requestSubmit()
})
document.addEventListener('dragend', () => {
  card = null
  highlight(null)
})
