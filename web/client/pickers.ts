// Pickers: typing filters the options, or the server finds them in a longer list; arrows move among
// them, and the choices of a picker that says so are saved when it closes.
import { DelayedSearch, searchPerElement } from './delayed-search.ts'
import { closestTo, fetchPage } from './dom.ts'

const itemsOf = (picker: Element): HTMLElement[] => [
  ...picker.querySelectorAll<HTMLElement>('.picker-item'),
]
const isShown = (item: HTMLElement): boolean => item.closest('li')?.hidden === false
/** What takes the focus: the link itself, or the field of a label. */
const stopOf = (item: HTMLElement): HTMLElement => item.querySelector('input') ?? item

const chosenIn = (list: Element): HTMLInputElement[] =>
  [...list.querySelectorAll<HTMLInputElement>('.picker-item input')].filter(
    ({ checked }) => checked,
  )

/** The field with the chosen options of a picker that are not in its list. */
const othersOf = (picker: Element | null): HTMLInputElement | null =>
  picker?.querySelector<HTMLInputElement>('[data-more-chosen]') ?? null

const namesIn = (field: HTMLInputElement | null): string[] =>
  field?.value.split(', ').filter((name) => name !== '') ?? []

const choices = (picker: Element): string =>
  JSON.stringify(
    [...chosenIn(picker).map(({ value }) => value), ...namesIn(othersOf(picker))].sort(),
  )

/** What the search of a long list sends: all of the form around it, so that the choices stay. */
const searchBody = (field: HTMLInputElement): string => {
  const button = field.parentElement?.querySelector('button')
  const data = field.form ? new FormData(field.form, button) : []
  return String(
    new URLSearchParams(
      [...data].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
    ),
  )
}

/** The list of the picker with a search field, or the note in its place. */
const listBelow = (field: Element | null | undefined): Element | null =>
  field?.closest('.picker')?.querySelector('ul, .picker-note') ?? null

/** Puts what was found in the place of a list. What is chosen there stays chosen, and in the list. */
function replaceList(old: Element, found: Element): void {
  const fresh = new Map(
    [...found.querySelectorAll<HTMLInputElement>('.picker-item input')].map((input) => [
      input.value,
      input,
    ]),
  )
  const others = othersOf(old.closest('.picker'))
  const unlisted = namesIn(others)
  for (const input of fresh.values()) input.checked = unlisted.includes(input.value)
  if (others) others.value = unlisted.filter((name) => !fresh.has(name)).join(', ')
  for (const input of chosenIn(old)) {
    const same = fresh.get(input.value)
    if (same) same.checked = true
    else if (found.tagName === 'UL') found.append(input.closest('li') ?? '')
  }
  old.replaceWith(found)
}

/** The page of the form is asked for, which shows the picker with what was found. Whether it did. */
async function showFound(
  field: HTMLInputElement,
  body: string,
  isLate: () => boolean,
): Promise<boolean> {
  const { form } = field
  // A field may be named like an attribute of the form.
  const address = form?.getAttribute('action') ?? ''
  const page = await (form?.getAttribute('method') === 'post'
    ? fetchPage(address, { method: 'POST', body: new URLSearchParams(body) })
    : fetchPage(`${address}?${body}`))
  const found = listBelow(page?.querySelector(`[data-find][name="${field.name}"]`))
  const old = listBelow(field)
  if (!old || !found || isLate()) return false
  replaceList(old, found)
  return true
}

const searchOf = searchPerElement(
  (field: HTMLInputElement) =>
    new DelayedSearch(
      () => searchBody(field),
      (body, isLate) => showFound(field, body, isLate),
    ),
)

/** Saves what was chosen since the picker was opened, and what Enter still waits for. */
async function saveChoices(picker: HTMLDetailsElement): Promise<void> {
  const form = picker.closest<HTMLFormElement>('form[data-save-on-close]')
  const field = picker.querySelector<HTMLInputElement>('.picker-search[data-find]')
  if (!form) return
  if (field) await searchOf(field).chosen()
  if (!picker.open && picker.dataset.before !== choices(picker)) form.requestSubmit()
}

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
    void saveChoices(picker)
  },
  true,
)

document.addEventListener('input', (event) => {
  const field = event.target
  if (!(field instanceof HTMLInputElement) || !field.classList.contains('picker-search')) return
  if (field.dataset.find !== undefined) return searchOf(field).type()
  const words = field.value.toLowerCase().split(/\s+/)
  for (const item of itemsOf(field.closest('.picker') ?? field)) {
    const text = item.textContent.toLowerCase()
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
  const unlisted = namesIn(othersOf(picker)).length
  shown.replaceChildren(
    ...chosen.map((item) => {
      const part = document.createElement('span')
      part.append(...[...item.childNodes].slice(1).map((node) => node.cloneNode(true)))
      for (const hint of part.querySelectorAll('.menu-hint')) hint.remove()
      return part
    }),
    ...(unlisted > 0 ? [`+${unlisted}`] : []),
  )
})

/** The script searches by itself, so that Enter elsewhere in a form sends it, checked as by its buttons. */
document.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (key !== 'Enter' || !(target instanceof HTMLInputElement) || !target.form) return
  const enter = target.form.querySelector<HTMLButtonElement>('[data-enter]')
  if (enter) enter.formNoValidate = false
  for (const found of target.form.querySelectorAll<HTMLInputElement>('[data-found]')) {
    const field = found.parentElement?.querySelector<HTMLInputElement>('[data-find]')
    if (field) found.value = field.value
  }
})

document.addEventListener('keydown', (event) => {
  const picker = event.target instanceof Element ? event.target.closest('.picker[open]') : null
  if (!picker || event.isComposing) return
  const shown = itemsOf(picker).filter(isShown)
  const field = closestTo<HTMLInputElement>(event, '.picker-search')
  if (event.key === 'Enter' && field) {
    event.preventDefault()
    // The next word searches anew, also while this one waits for the server.
    field.select()
    const choose = () => {
      itemsOf(picker).find(isShown)?.click()
      field.focus()
    }
    if (field.dataset.find === undefined) choose()
    else searchOf(field).findAndChoose(choose)
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
