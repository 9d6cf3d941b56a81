// A preview below a Markdown field, updated while the text is typed.
import { watchDiagrams } from './diagrams.ts'
import { closestTo, createElement } from './dom.ts'
import { t } from './texts.ts'

const DEBOUNCE_MS = 250

class Preview {
  readonly #panel = createElement('div', {
    class: 'typed-preview md',
    role: 'region',
    'aria-label': t('Preview'),
    tabindex: '0',
  })
  #request = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    private readonly area: HTMLTextAreaElement,
    private readonly address: string,
  ) {
    area.after(this.#panel)
    area.addEventListener('input', () => {
      clearTimeout(this.#timer)
      if (this.#panel.isConnected) this.#timer = setTimeout(() => void this.render(), DEBOUNCE_MS)
    })
  }

  async render(): Promise<void> {
    this.#request.abort()
    this.#request = new AbortController()
    const { area } = this
    const csrf = area.form?.querySelector<HTMLInputElement>('input[name=csrf]')?.value ?? ''
    // The next keystroke aborts the request, perhaps while its response is read.
    const html = await fetch(this.address, {
      method: 'POST',
      signal: this.#request.signal,
      body: new URLSearchParams({ csrf, [area.name]: area.value }),
    })
      .then((response) => (response.ok ? response.text() : null))
      .catch(() => null)
    if (html === null) return
    const fresh = new DOMParser().parseFromString(html, 'text/html').getElementById('preview')
    if (!fresh) return
    this.#panel.replaceChildren(...fresh.childNodes)
    watchDiagrams()
  }
}

document.addEventListener('click', (event) => {
  const button = closestTo<HTMLButtonElement | HTMLInputElement>(event, '[data-preview]')
  const area = button && document.getElementById(button.dataset.preview ?? '')
  if (!button || !(area instanceof HTMLTextAreaElement)) return
  event.preventDefault()
  const open = area.parentElement?.querySelector(':scope > .typed-preview')
  button.setAttribute('aria-expanded', String(!open))
  if (open) open.remove()
  else void new Preview(area, button.dataset.at ?? button.formAction).render()
})
