// Help for those who write: what a text will look like, names and numbers to complete, and drafts
// that outlive a closed page.
const make = <K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string>,
): HTMLElementTagNameMap[K] => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
  return element
}

// A preview below the text, kept true while one types.
document.addEventListener('click', (event) => {
  const button =
    event.target instanceof Element
      ? event.target.closest<HTMLButtonElement | HTMLInputElement>('[data-preview]')
      : null
  const area = button && document.getElementById(button.dataset.preview ?? '')
  if (!button || !(area instanceof HTMLTextAreaElement)) return
  event.preventDefault()
  const shown = area.parentElement?.querySelector(':scope > .typed-preview')
  button.setAttribute('aria-expanded', String(!shown))
  if (shown) return shown.remove()
  const panel = make('div', {
    class: 'typed-preview md',
    role: 'region',
    'aria-label': 'Preview',
    tabindex: '0',
  })
  area.after(panel)
  let asked = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const show = async (): Promise<void> => {
    asked.abort()
    asked = new AbortController()
    const csrf = area.form?.querySelector<HTMLInputElement>('input[name=csrf]')?.value ?? ''
    // Whoever types on gives this answer up, perhaps while it comes.
    const page = await fetch(button.dataset.at ?? button.formAction, {
      method: 'POST',
      signal: asked.signal,
      body: new URLSearchParams({ csrf, [area.name]: area.value }),
    })
      .then((answer) => (answer.ok ? answer.text() : null))
      .catch(() => null)
    const fresh =
      page === null
        ? null
        : new DOMParser().parseFromString(page, 'text/html').getElementById('preview')
    if (fresh) panel.replaceChildren(...fresh.childNodes)
  }
  area.addEventListener('input', () => {
    clearTimeout(timer)
    if (panel.isConnected) timer = setTimeout(() => void show(), 250)
  })
  void show()
})

// Names after @ and numbers after #.
type Offer = { text: string; detail: string }
let open: { area: HTMLTextAreaElement; list: HTMLUListElement; at: number; word: string } | null =
  null
const shut = (): void => {
  open?.list.remove()
  open?.area.removeAttribute('aria-activedescendant')
  open?.area.removeAttribute('aria-controls')
  open = null
}
const choose = (to: number): void => {
  if (!open) return
  const options = [...open.list.children]
  open.at = (to + options.length) % options.length
  options.forEach((option, index) =>
    option.setAttribute('aria-selected', String(index === open?.at)),
  )
  open.area.setAttribute('aria-activedescendant', options[open.at]?.id ?? '')
}
const take = (text: string): void => {
  if (!open) return
  const { area, word } = open
  const end = area.selectionStart
  area.setRangeText(`${text} `, end - word.length, end, 'end')
  shut()
  area.dispatchEvent(new Event('input', { bubbles: true }))
  area.focus()
}
let asking = new AbortController()
const offer = async (area: HTMLTextAreaElement, address: string): Promise<void> => {
  asking.abort()
  const word = /(?:^|[\s(])([@#][\w/-]{0,40})$/.exec(area.value.slice(0, area.selectionStart))?.[1]
  if (!word) return shut()
  asking = new AbortController()
  const offers: { items: Offer[] } | null = await fetch(
    `${address}?q=${encodeURIComponent(word)}`,
    { signal: asking.signal },
  )
    .then((answer) => (answer.ok ? answer.json() : null))
    .catch(() => null)
  if (!offers || document.activeElement !== area) return
  const { items } = offers
  shut()
  if (items.length === 0) return
  const list = make('ul', {
    class: 'completions',
    role: 'listbox',
    id: 'completions',
    'aria-label': word.startsWith('@') ? 'People' : 'Issues and pull requests',
  })
  items.forEach(({ text, detail }, index) => {
    const option = make('li', { role: 'option', id: `completion-${index}` })
    const more = make('span', { class: 'muted' })
    more.textContent = detail
    option.append(text, ' ', more)
    // Before the text loses the focus.
    option.addEventListener('mousedown', (event) => {
      event.preventDefault()
      take(text)
    })
    list.append(option)
  })
  area.after(list)
  area.setAttribute('aria-controls', list.id)
  open = { area, list, at: 0, word }
  choose(0)
}
document.addEventListener('input', (event) => {
  const area = event.target
  if (area instanceof HTMLTextAreaElement && area.dataset.complete)
    void offer(area, area.dataset.complete)
})
document.addEventListener('focusout', shut)
document.addEventListener(
  'keydown',
  (event) => {
    if (!open || event.target !== open.area || event.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const isTaken =
      (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === 'Tab'
    if (step === 0 && !isTaken && event.key !== 'Escape') return
    event.preventDefault()
    event.stopPropagation()
    if (step !== 0) choose(open.at + step)
    else if (isTaken) take(open.list.children[open.at]?.firstChild?.textContent ?? '')
    else shut()
  },
  true,
)

// What somebody was writing is there again after a reload or a way back, in this window alone;
// sending it ends the draft.
const keyOf = (area: HTMLTextAreaElement): string =>
  `draft ${location.pathname} ${area.id} ${area.dataset.draft ?? ''}`
const stored = <T>(run: () => T): T | null => {
  try {
    return run()
  } catch {
    // A browser may keep nothing.
    return null
  }
}
for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]')) {
  const draft = stored(() => sessionStorage.getItem(keyOf(area)))
  if (draft && area.value === area.defaultValue && !area.matches('[aria-invalid]'))
    area.value = draft
}
document.addEventListener('input', ({ target }) => {
  if (!(target instanceof HTMLTextAreaElement) || target.dataset.draft === undefined) return
  stored(() =>
    target.value === target.defaultValue
      ? sessionStorage.removeItem(keyOf(target))
      : sessionStorage.setItem(keyOf(target), target.value),
  )
})
document.addEventListener('submit', ({ target, defaultPrevented }) => {
  if (defaultPrevented || !(target instanceof HTMLFormElement)) return
  for (const area of target.querySelectorAll<HTMLTextAreaElement>('textarea[data-draft]'))
    stored(() => sessionStorage.removeItem(keyOf(area)))
})
