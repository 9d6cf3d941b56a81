// Cards of a board can be dragged to another column: that sends the form that each has.
let held: HTMLElement | null = null
const columnOf = (event: DragEvent): HTMLElement | null =>
  held && event.target instanceof Element
    ? event.target.closest<HTMLElement>('[data-column]')
    : null
const mark = (column: HTMLElement | null): void => {
  for (const one of document.querySelectorAll('[data-column]'))
    one.classList.toggle('over', one === column)
}
document.addEventListener('dragstart', (event) => {
  held = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-card]') : null
})
document.addEventListener('dragover', (event) => {
  const column = columnOf(event)
  if (column) event.preventDefault()
  if (held) mark(column)
})
document.addEventListener('drop', (event) => {
  const column = columnOf(event)
  const select = held?.querySelector('select')
  if (!column || !select) return
  event.preventDefault()
  if (select.value === column.dataset.column) return
  select.value = column.dataset.column ?? ''
  select.form?.requestSubmit()
})
document.addEventListener('dragend', () => {
  held = null
  mark(null)
})
