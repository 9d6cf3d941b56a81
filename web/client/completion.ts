// Completion in Markdown fields: names after `@`, numbers after `#`.
import { createElement, fetchJson } from './dom.ts'
import { t } from './texts.ts'

type Suggestion = { text: string; detail: string }

/** The open list of suggestions. */
let open: {
  area: HTMLTextAreaElement
  /** What had been typed of the name or number when they were asked for. */
  word: string
  list: HTMLUListElement
  selected: number
} | null = null

const closeList = (): void => {
  open?.list.remove()
  open?.area.removeAttribute('aria-activedescendant')
  open?.area.removeAttribute('aria-controls')
  open = null
}

const select = (index: number): void => {
  if (!open) return
  const options = [...open.list.children]
  open.selected = (index + options.length) % options.length
  options.forEach((option, at) =>
    option.setAttribute('aria-selected', String(at === open?.selected)),
  )
  open.area.setAttribute('aria-activedescendant', options[open.selected]?.id ?? '')
}

/** The name or number that is being typed; empty when there is none. */
const wordAt = (area: HTMLTextAreaElement): string =>
  /(?:^|[\s(])([@#][\w/-]{0,40})$/.exec(area.value.slice(0, area.selectionStart))?.[1] ?? ''

const insert = (text: string): void => {
  if (!open) return
  const { area } = open
  const end = area.selectionStart
  area.setRangeText(`${text} `, end - wordAt(area).length, end, 'end')
  closeList()
  area.dispatchEvent(new Event('input', { bubbles: true }))
  area.focus()
}

const selectedText = (): string => open?.list.children[open.selected]?.firstChild?.textContent ?? ''

/** The list may be of a shorter word while the next one is on its way. */
function isSelectedMeant(): boolean {
  if (!open) return false
  const word = wordAt(open.area)
  return word === open.word || selectedText().toLowerCase().startsWith(word.toLowerCase())
}

function optionOf({ text, detail }: Suggestion, index: number): HTMLLIElement {
  const option = createElement('li', { role: 'option', id: `completion-${index}` })
  const more = createElement('span', { class: 'muted' })
  more.textContent = detail
  option.append(text, ' ', more)
  // `mousedown` comes before the text loses the focus, which would close the list.
  option.addEventListener('mousedown', (event) => {
    event.preventDefault()
    insert(text)
  })
  return option
}

let request = new AbortController()
async function suggest(area: HTMLTextAreaElement, address: string): Promise<void> {
  request.abort()
  const word = wordAt(area)
  if (!word) return closeList()
  request = new AbortController()
  const found = await fetchJson<{ items: Suggestion[] }>(
    `${address}?q=${encodeURIComponent(word)}`,
    request.signal,
  )
  if (!found || document.activeElement !== area) return
  closeList()
  if (found.items.length === 0) return
  const list = createElement('ul', {
    class: 'completions',
    role: 'listbox',
    id: 'completions',
    'aria-label': word.startsWith('@') ? t('People') : t('Issues and pull requests'),
  })
  list.append(...found.items.map(optionOf))
  area.after(list)
  area.setAttribute('aria-controls', list.id)
  open = { area, word, list, selected: 0 }
  select(0)
}

document.addEventListener('input', (event) => {
  const area = event.target
  if (area instanceof HTMLTextAreaElement && area.dataset.complete)
    void suggest(area, area.dataset.complete)
})
document.addEventListener('focusout', closeList)
document.addEventListener(
  'keydown',
  (event) => {
    if (!open || event.target !== open.area || event.isComposing) return
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const isAccepted =
      (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) || event.key === 'Tab'
    if (step === 0 && !isAccepted && event.key !== 'Escape') return
    if (isAccepted && !isSelectedMeant()) return closeList()
    event.preventDefault()
    event.stopPropagation()
    if (step !== 0) select(open.selected + step)
    else if (isAccepted) insert(selectedText())
    else closeList()
  },
  true,
)
