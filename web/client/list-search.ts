// Searches that fill a list while one types. `data-list-search` of a form is the id of the list in
// the page that the form leads to; `data-list` marks where it is shown. Arrow keys move through the
// links, and Enter follows the first one.
import { DelayedSearch, searchPerElement } from './delayed-search.ts'
import { closestTo, fetchPage } from './dom.ts'

const FORM = 'form[data-list-search]'

const listOf = (form: HTMLFormElement): Element | null | undefined =>
  form.parentElement?.querySelector('[data-list]')

function addressOf(form: HTMLFormElement): string {
  const query = new URLSearchParams()
  for (const [name, value] of new FormData(form))
    if (typeof value === 'string') query.set(name, value)
  return `${form.action}?${query}`
}

async function show(
  form: HTMLFormElement,
  address: string,
  isLate: () => boolean,
): Promise<boolean> {
  const page = await fetchPage(address)
  const list = listOf(form)
  const found = page?.getElementById(form.dataset.listSearch ?? '')
  if (!list || !found || isLate()) return false
  list.replaceChildren(...found.childNodes)
  return true
}

const searchOf = searchPerElement(
  (form: HTMLFormElement) =>
    new DelayedSearch(
      () => addressOf(form),
      (address, isLate) => show(form, address, isLate),
    ),
)

document.addEventListener('input', (event) => {
  const form = closestTo<HTMLFormElement>(event, FORM)
  if (!form) return
  searchOf(form).type()
  // A form of the results, such as that of a new branch, is about what was typed before.
  for (const button of listOf(form)?.querySelectorAll('button') ?? []) button.disabled = true
})

/** A menu with a search is opened to type in. Touch screens would cover it with their keyboard. */
document.addEventListener(
  'toggle',
  (event) => {
    const menu = event.target
    if (!(menu instanceof HTMLDetailsElement) || menu.dataset.menu === undefined || !menu.open)
      return
    if (matchMedia('(pointer: fine)').matches)
      menu.querySelector<HTMLInputElement>(`${FORM} [type=search]`)?.focus()
  },
  true,
)

document.addEventListener('keydown', (event) => {
  const form =
    closestTo<HTMLFormElement>(event, FORM) ??
    closestTo(event, '[data-list]')?.parentElement?.querySelector<HTMLFormElement>(FORM)
  if (!form || event.isComposing) return
  const links = () => [
    ...(form.parentElement?.querySelectorAll<HTMLElement>('[data-list] a') ?? []),
  ]
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === 'Enter' && isTyping) {
    event.preventDefault()
    searchOf(form).findAndChoose(() => links()[0]?.click())
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const next = links().indexOf(document.activeElement as HTMLElement) + step
  if (next < 0) form.querySelector<HTMLElement>('[type=search]')?.focus()
  else links()[Math.min(links().length - 1, next)]?.focus()
})
