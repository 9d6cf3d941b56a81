// Pickers: typing filters the options, arrows move among them, and the choices of a picker that
// says so are saved when it closes.

const itemsOf = (picker: Element): HTMLElement[] => [
  ...picker.querySelectorAll<HTMLElement>('.picker-item'),
]
const isShown = (item: HTMLElement): boolean => item.closest('li')?.hidden === false
/** What takes the focus: the link itself, or the field of a label. */
const stopOf = (item: HTMLElement): HTMLElement => item.querySelector('input') ?? item

const choices = (picker: Element): string =>
  [...picker.querySelectorAll<HTMLInputElement>('.picker-item input')]
    .map((input) => (input.checked ? '1' : '0'))
    .join('')

document.addEventListener(
  'toggle',
  (event) => {
    const picker = event.target
    if (!(picker instanceof HTMLDetailsElement) || picker.dataset.picker === undefined) return
    if (picker.open) {
      picker.dataset.before = choices(picker)
      const [first] = itemsOf(picker)
      const start =
        picker.querySelector<HTMLElement>('.picker-search') ?? (first ? stopOf(first) : null)
      start?.focus()
      return
    }
    const form = picker.closest<HTMLFormElement>('form[data-save-on-close]')
    if (form && picker.dataset.before !== choices(picker)) form.requestSubmit()
  },
  true,
)

document.addEventListener('input', (event) => {
  const field = event.target
  if (!(field instanceof HTMLInputElement) || !field.classList.contains('picker-search')) return
  const words = field.value.toLowerCase().split(/\s+/)
  for (const item of itemsOf(field.closest('.picker') ?? field)) {
    const text = (
      item.querySelector('input')?.dataset.shown ??
      item.textContent ??
      ''
    ).toLowerCase()
    const row = item.closest('li')
    if (row) row.hidden = !words.every((word) => text.includes(word))
  }
})

/** Shows the choices beside a picker of a form that is not saved yet. */
document.addEventListener('change', (event) => {
  const picker = event.target instanceof Element ? event.target.closest('.picker') : null
  const shown = picker?.parentElement?.querySelector('[data-picker-chosen]')
  if (!picker || !shown) return
  const chosen = itemsOf(picker).filter((item) => item.querySelector('input')?.checked)
  shown.replaceChildren(
    ...chosen.map((item) => {
      const part = document.createElement('span')
      part.append(...[...item.childNodes].slice(1).map((node) => node.cloneNode(true)))
      for (const hint of part.querySelectorAll('.menu-hint')) hint.remove()
      return part
    }),
  )
})

document.addEventListener('keydown', (event) => {
  const picker = event.target instanceof Element ? event.target.closest('.picker[open]') : null
  if (!picker || event.isComposing) return
  const shown = itemsOf(picker).filter(isShown)
  const inSearch =
    event.target instanceof HTMLElement && event.target.classList.contains('picker-search')
  if (event.key === 'Enter' && inSearch) {
    event.preventDefault()
    shown[0]?.click()
    return
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0 || shown.length === 0) return
  event.preventDefault()
  const at = shown.findIndex((item) => item.contains(event.target as Node))
  const next = at + step
  const search = picker.querySelector<HTMLElement>('.picker-search')
  if (next < 0 && search) search.focus()
  else {
    const item = shown[Math.min(shown.length - 1, Math.max(0, next))]
    if (item) stopOf(item).focus()
  }
})
