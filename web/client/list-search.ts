// Searches that fill a list while one types. `data-list-search` of a form is the id of the list in
// the page that the form leads to; `data-list` marks where it is shown. Arrow keys move through the
// links, and Enter follows the first one.
import { closestTo, fetchPage } from './dom.ts'

const DELAY_MS = 120
const FORM = 'form[data-list-search]'

class ListSearch {
  #timer = 0
  #latest = ''
  #found: Promise<void> = Promise.resolve()

  constructor(private readonly form: HTMLFormElement) {}

  type(): void {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.find(), DELAY_MS)
    // A form of the results, such as that of a new branch, is about what was typed before.
    for (const button of this.#list?.querySelectorAll('button') ?? []) button.disabled = true
    this.#latest = ''
  }

  get #list(): Element | null | undefined {
    return this.form.parentElement?.querySelector('[data-list]')
  }

  /** Shows the results of what is typed now. */
  find(): Promise<void> {
    clearTimeout(this.#timer)
    const query = new URLSearchParams()
    for (const [name, value] of new FormData(this.form))
      if (typeof value === 'string') query.set(name, value)
    const address = `${this.form.action}?${query}`
    if (address !== this.#latest) {
      this.#latest = address
      this.#found = this.#show(address)
    }
    return this.#found
  }

  async #show(address: string): Promise<void> {
    const page = await fetchPage(address)
    const list = this.#list
    const found = page?.getElementById(this.form.dataset.listSearch ?? '')
    // An answer to an earlier query comes too late.
    if (list && found && address === this.#latest) list.replaceChildren(...found.childNodes)
  }
}

const searches = new WeakMap<HTMLFormElement, ListSearch>()
function searchOf(form: HTMLFormElement): ListSearch {
  const known = searches.get(form) ?? new ListSearch(form)
  searches.set(form, known)
  return known
}

document.addEventListener('input', (event) => {
  const form = closestTo<HTMLFormElement>(event, FORM)
  if (form) searchOf(form).type()
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
    void searchOf(form)
      .find()
      .then(() => links()[0]?.click())
  }
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  if (step === 0) return
  event.preventDefault()
  const next = links().indexOf(document.activeElement as HTMLElement) + step
  if (next < 0) form.querySelector<HTMLElement>('[type=search]')?.focus()
  else links()[Math.min(links().length - 1, next)]?.focus()
})
