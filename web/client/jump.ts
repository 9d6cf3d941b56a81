// The dialog that goes to a repository, number or page by a few letters. Without a script its link
// leads to the search.
import { createElement, fetchJson } from './dom.ts'
import { t } from './texts.ts'

type Destination = { title: string; detail: string | null; path: string }

class JumpDialog {
  readonly #dialog = createElement('dialog', { class: 'shortcuts jump', 'aria-label': t('Go to') })
  readonly #input = createElement('input', {
    class: 'input',
    type: 'text',
    role: 'combobox',
    'aria-label': t('Repository, number, page or file'),
    placeholder: t('Repository, #number, page or file'),
    'aria-expanded': 'true',
    'aria-controls': 'jump-list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  readonly #list = createElement('ul', {
    id: 'jump-list',
    role: 'listbox',
    'aria-label': t('Places'),
  })
  #selected = 0
  #found: Promise<void> = Promise.resolve()
  #request = new AbortController()

  constructor(private readonly repo: string) {
    this.#input.addEventListener('input', () => this.#find())
    this.#input.addEventListener('keydown', (event) => this.#pressKey(event))
    this.#dialog.addEventListener('click', (event) => {
      if (event.target === this.#dialog) this.#dialog.close()
    })
    this.#dialog.addEventListener('close', () => this.#dialog.remove())
    this.#dialog.append(this.#input, this.#list)
  }

  open(): void {
    document.body.append(this.#dialog)
    this.#dialog.showModal()
    this.#input.focus()
    this.#find()
  }

  #find(): void {
    this.#found = this.#search()
  }

  #options(): HTMLAnchorElement[] {
    return [...this.#list.querySelectorAll('a')]
  }

  #select(index: number): void {
    const options = this.#options()
    this.#selected = options.length === 0 ? 0 : (index + options.length) % options.length
    options.forEach((option, at) =>
      option.setAttribute('aria-selected', String(at === this.#selected)),
    )
    options[this.#selected]?.scrollIntoView({ block: 'nearest' })
    this.#input.setAttribute('aria-activedescendant', options[this.#selected]?.id ?? '')
  }

  #pressKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.isComposing || (step === 0 && event.key !== 'Enter')) return
    event.preventDefault()
    if (step === 0) void this.#follow()
    else this.#select(this.#selected + step)
  }

  /** Goes to the selected place. The list may be of fewer letters while the next one is on its way. */
  async #follow(): Promise<void> {
    await this.#found
    if (this.#dialog.open) this.#options()[this.#selected]?.click()
  }

  async #search(): Promise<void> {
    this.#request.abort()
    this.#request = new AbortController()
    const query = new URLSearchParams({ q: this.#input.value, repo: this.repo })
    const found = await fetchJson<{ items: Destination[] }>(
      `/-/jump?${query}`,
      this.#request.signal,
    )
    if (!found) return
    this.#list.replaceChildren(...found.items.map(optionOf))
    this.#select(0)
  }
}

function optionOf({ title, detail, path }: Destination, index: number): HTMLLIElement {
  const row = createElement('li', { role: 'presentation' })
  const option = createElement('a', {
    id: `jump-${index}`,
    role: 'option',
    href: path,
    tabindex: '-1',
  })
  const more = createElement('span', { class: 'muted' })
  more.textContent = detail
  option.append(title, ' ', more)
  row.append(option)
  return row
}

const link = document.querySelector<HTMLElement>('[data-jump]')
if (link) {
  const open = (): void => new JumpDialog(link.dataset.jump ?? '').open()
  link.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open()
  })
  document.addEventListener('keydown', (event) => {
    if (
      event.key !== 'k' ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      document.querySelector('dialog[open]')
    )
      return
    event.preventDefault()
    open()
  })
}
