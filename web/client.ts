// What the pages do better with a script. Each part is on its own, and a page without it works the
// same, only plainer.
import { relativeText } from './relative.ts'
import './board.ts'
import './typing.ts'

const root = document.documentElement
root.classList.add('has-js')

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))

// Distances in time stay true while a page is open.
const refreshTimes = (): void => {
  const now = Date.now()
  for (const element of document.querySelectorAll<HTMLTimeElement>('time[data-relative]')) {
    const words = relativeText(Date.parse(element.dateTime), now)
    if (element.textContent !== words) element.textContent = words
  }
}
refreshTimes()
setInterval(refreshTimes, 60_000)
document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refreshTimes()
})

// Copying. A polite region says that it is done.
let said: HTMLElement | null = null
const say = (words: string): void => {
  if (!said) {
    said = document.createElement('div')
    said.className = 'unseen'
    said.setAttribute('role', 'status')
    document.body.append(said)
  }
  said.textContent = words
}

const copyText = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without a secure address there is no clipboard; the old way still works.
    const area = document.createElement('textarea')
    area.className = 'unseen'
    area.value = text
    document.body.append(area)
    area.select()
    const done = document.execCommand('copy')
    area.remove()
    return done
  }
}

/** A whole file is not in the page twice: its text is asked for when it is wanted. */
const textAt = (address: string): Promise<string> =>
  fetch(address).then((answer) =>
    answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText)),
  )
document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return
  const button = event.target.closest<HTMLButtonElement>(
    'button[data-copy], button[data-copy-from], button[data-copy-address]',
  )
  if (!button) return
  const source =
    button.dataset.copyFrom === undefined ? null : document.getElementById(button.dataset.copyFrom)
  const text =
    source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement
      ? source.value
      : (source?.textContent?.trim() ?? button.dataset.copy ?? '')
  const address = button.dataset.copyAddress
  void (address === undefined ? copyText(text) : textAt(address).then(copyText, () => false)).then(
    (done) => {
      say(done ? 'Copied' : 'Could not copy')
      if (!done) return
      button.classList.add('copied')
      const path = button.querySelector('path')
      const before = path?.getAttribute('d')
      path?.setAttribute('d', 'm3.5 8.5 3 3 6-7')
      setTimeout(() => {
        button.classList.remove('copied')
        if (before) path?.setAttribute('d', before)
        button.focus()
      }, 1_500)
    },
  )
})

// Passkeys. Such a form is shown where the browser knows them; sending it asks for one first.
const passkeys =
  typeof PublicKeyCredential === 'undefined' ||
  !('parseRequestOptionsFromJSON' in PublicKeyCredential)
    ? null
    : PublicKeyCredential
const passkeyForms = [...document.querySelectorAll<HTMLFormElement>('form[data-passkey]')]
const answerOf = (form: HTMLFormElement): HTMLInputElement | null =>
  form.querySelector('input[name=response]')

async function askPasskey(
  known: typeof PublicKeyCredential,
  { passkey, options = '{}' }: DOMStringMap,
): Promise<string> {
  const made =
    passkey === 'create'
      ? await navigator.credentials.create({
          publicKey: known.parseCreationOptionsFromJSON(JSON.parse(options)),
        })
      : await navigator.credentials.get({
          publicKey: known.parseRequestOptionsFromJSON(JSON.parse(options)),
        })
  return JSON.stringify(made)
}

if (passkeys) {
  for (const form of passkeyForms) form.hidden = false
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      const answer =
        form instanceof HTMLFormElement && form.dataset.passkey !== undefined
          ? answerOf(form)
          : null
      if (!(form instanceof HTMLFormElement) || !answer || answer.value !== '') return
      event.preventDefault()
      const trouble = form.querySelector<HTMLElement>('[data-passkey-error]')
      if (trouble) trouble.hidden = true
      askPasskey(passkeys, form.dataset).then(
        (value) => {
          answer.value = value
          form.requestSubmit()
        },
        () => {
          if (!trouble) return
          trouble.textContent = 'No passkey was given.'
          trouble.hidden = false
        },
      )
    },
    true,
  )
}

// A form that changes something is sent once.
document.addEventListener('submit', (event) => {
  const form = event.target
  if (
    !(form instanceof HTMLFormElement) ||
    form.dataset.once === undefined ||
    event.defaultPrevented
  )
    return
  if (form.dataset.sent !== undefined) {
    event.preventDefault()
    return
  }
  form.dataset.sent = ''
  // After the values were read: a disabled button would not send its own.
  setTimeout(() => {
    for (const button of form.querySelectorAll<HTMLButtonElement>(
      'button[type=submit], button:not([type])',
    ))
      button.setAttribute('aria-disabled', 'true')
  })
})
// Coming back through the history shows the page as it was left, so it may be sent again.
addEventListener('pageshow', () => {
  for (const form of passkeyForms) {
    const answer = answerOf(form)
    if (answer) answer.value = ''
  }
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-sent]')) {
    delete form.dataset.sent
    for (const button of form.querySelectorAll('[aria-disabled]'))
      button.removeAttribute('aria-disabled')
  }
})

// Text fields grow with their text where style alone cannot do it.
if (!CSS.supports('field-sizing', 'content')) {
  const grow = (area: HTMLTextAreaElement): void => {
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight + 2}px`
  }
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-autosize]'))
    grow(area)
  document.addEventListener('input', (event) => {
    if (event.target instanceof HTMLTextAreaElement && event.target.dataset.autosize !== undefined)
      grow(event.target)
  })
}

// Menus open towards the side where there is room, and close when one looks elsewhere.
document.addEventListener(
  'toggle',
  (event) => {
    const panel =
      event.target instanceof HTMLDetailsElement && event.target.open
        ? event.target.querySelector(':scope > .menu-panel')
        : null
    if (!panel) return
    const { left, right } = panel.getBoundingClientRect()
    if (right > innerWidth) panel.classList.remove('menu-left')
    else if (left < 0) panel.classList.add('menu-left')
  },
  true,
)
const openMenus = (): HTMLDetailsElement[] => [
  ...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]'),
]
document.addEventListener('click', (event) => {
  for (const menu of openMenus())
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false
})

// The current tab is in sight where the strip is too long for the window.
for (const strip of document.querySelectorAll<HTMLElement>('.tabs ul, .sidenav')) {
  const current = strip.querySelector<HTMLElement>('[aria-current]')
  if (current && strip.scrollWidth > strip.clientWidth)
    strip.scrollLeft =
      current.offsetLeft - strip.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2
}

// Ranges of lines: #L3-L9, and shift with a click makes one.
const rangeOf = (hash: string): [number, number] | null => {
  const match = /^#L(\d+)-L(\d+)$/.exec(hash)
  if (!match) return null
  const ends = [Number(match[1]), Number(match[2])] as const
  return [Math.min(...ends), Math.max(...ends)]
}
const showRange = (scroll: boolean): void => {
  for (const row of document.querySelectorAll('.code tr.lit')) row.classList.remove('lit')
  const range = rangeOf(location.hash)
  if (!range) return
  for (let line = range[0]; line <= range[1]; line++)
    document.getElementById(`L${line}`)?.classList.add('lit')
  if (scroll) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: 'center' })
}
let lastLine = Number(/^#L(\d+)/.exec(location.hash)?.[1] ?? 0)
document.addEventListener('click', (event) => {
  const line =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.code .ln a') : null
  if (!line) return
  const number = Number(line.textContent)
  if (event.shiftKey && lastLine > 0) {
    event.preventDefault()
    history.replaceState(null, '', `#L${Math.min(lastLine, number)}-L${Math.max(lastLine, number)}`)
    showRange(false)
  } else lastLine = number
})
addEventListener('hashchange', () => showRange(true))
showRange(true)

// Parts that come in place of themselves: more lines around a change, a file that was left out. The
// link leads to the same without a script.
const takePart = async (link: HTMLAnchorElement): Promise<void> => {
  const { part = '', file = '' } = link.dataset
  const old = document.getElementById(part)
  if (!old || link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  const url = new URL(link.href)
  url.searchParams.set('only', file)
  const answer = await fetch(url).catch(() => null)
  const fresh = answer?.ok
    ? new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part)
    : null
  if (!fresh) return location.assign(link.href)
  const at = document.activeElement === link
  old.replaceWith(fresh)
  refreshTimes()
  if (at) fresh.querySelector<HTMLElement>('.hunk-mark a, summary')?.focus({ preventScroll: true })
  nearParts(fresh)
}
document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[data-part]') : null
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  void takePart(link)
})
// The next files of a large change come as one gets there, up to as many as a browser scrolls
// through with ease; from there on the link leads to a page that begins with them.
const MOST_FILES = 500
const isFull = (): boolean => document.querySelectorAll('.diff-file').length >= MOST_FILES
const takeMore = async (link: HTMLAnchorElement): Promise<void> => {
  if (link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  const answer = await fetch(link.href).catch(() => null)
  const fresh = answer?.ok
    ? new DOMParser().parseFromString(await answer.text(), 'text/html')
    : null
  const files = [...(fresh?.querySelectorAll('.diff > .diff-file') ?? [])]
  const place = document.getElementById('more-files')
  if (files.length === 0 || !place) return void (link.ariaBusy = null)
  const at = document.activeElement === link
  // One part for all of them: what is out of sight costs the browser nothing then, however many
  // there are.
  const batch = document.createElement('div')
  batch.className = 'diff-more'
  batch.append(...files)
  document.querySelector('.diff')?.append(batch)
  place.replaceChildren(...(fresh?.getElementById('more-files')?.childNodes ?? []))
  for (const file of files) nearParts(file)
  nearParts(place)
  refreshTimes()
  if (at) files[0]?.querySelector('summary')?.focus({ preventScroll: true })
}
document.addEventListener('click', (event) => {
  const link =
    event.target instanceof Element
      ? event.target.closest<HTMLAnchorElement>('a[data-more], .diff-list a')
      : null
  if (!link || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return
  const here = document.getElementById(link.hash.slice(1))
  if (link.dataset.more !== undefined && !isFull()) void takeMore(link)
  else if (here) location.hash = link.hash
  else return
  event.preventDefault()
})
const near = new IntersectionObserver(
  (seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting || !(target instanceof HTMLAnchorElement)) continue
      near.unobserve(target)
      if (target.dataset.more === undefined) void takePart(target)
      else if (!isFull()) void takeMore(target)
    }
  },
  { rootMargin: '1200px' },
)
const nearParts = (part: ParentNode): void => {
  for (const link of part.querySelectorAll('a[data-near], a[data-more]')) near.observe(link)
}
nearParts(document)

// What takes long to find comes later, in its place.
for (const part of document.querySelectorAll<HTMLElement>('[data-later]')) {
  void fetch(part.dataset.later ?? '').then(
    async (answer) => {
      const fresh = answer.ok
        ? new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part.id)
        : null
      if (!fresh || fresh.dataset.later !== undefined) return
      const at = part.contains(document.activeElement)
        ? document.activeElement?.getAttribute('href')
        : null
      part.replaceWith(fresh)
      if (at)
        fresh
          .querySelector<HTMLElement>(`a[href="${CSS.escape(at)}"]`)
          ?.focus({ preventScroll: true })
      refreshTimes()
      showRange(false)
    },
    () => undefined,
  )
}

// A permanent link keeps the lines that are marked.
document.addEventListener(
  'click',
  (event) => {
    const link =
      event.target instanceof Element
        ? event.target.closest<HTMLAnchorElement>('a[data-hotkey=y]')
        : null
    if (link) link.hash = location.hash
  },
  true,
)

// What a page has now is woven into what is shown. What somebody is using stays as it is: forms
// with typed text or the focus, and what was folded or unfolded by hand.
const turned = new WeakSet<Element>()
document.addEventListener('click', (event) => {
  const details =
    event.target instanceof Element ? event.target.closest('summary')?.parentElement : null
  if (details) turned.add(details)
})
const isChanged = (field: Element): boolean =>
  field instanceof HTMLSelectElement
    ? field.selectedIndex !==
      Math.max(
        0,
        [...field.options].findIndex(({ defaultSelected }) => defaultSelected),
      )
    : field instanceof HTMLInputElement && /^(?:checkbox|radio)$/.test(field.type)
      ? field.checked !== field.defaultChecked
      : (field instanceof HTMLTextAreaElement ||
          (field instanceof HTMLInputElement && field.type !== 'hidden')) &&
        field.value !== field.defaultValue
const inUse = (form: HTMLFormElement): boolean =>
  form.matches(':focus-within, :has([aria-invalid], [role=alert])') ||
  [...form.elements].some(isChanged)
const holds = (part: Element): boolean =>
  part instanceof HTMLFormElement ? inUse(part) : [...part.querySelectorAll('form')].some(inUse)

const weave = (old: Element, fresh: Element): void => {
  if (old.isEqualNode(fresh) || (old instanceof HTMLFormElement && inUse(old))) return
  const own = (name: string): boolean => name === 'open' && turned.has(old)
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !own(name)) old.removeAttribute(name)
  for (const { name, value } of fresh.attributes)
    if (old.getAttribute(name) !== value && !own(name)) old.setAttribute(name, value)
  let at = old.firstChild
  for (const next of [...fresh.childNodes]) {
    const id = next instanceof Element ? next.id : ''
    const match =
      id !== ''
        ? [...old.children].find((child) => child.id === id)
        : at?.nodeName === next.nodeName && !(at instanceof Element && at.id)
          ? at
          : null
    if (!match) {
      old.insertBefore(next, at)
      continue
    }
    if (match !== at) old.insertBefore(match, at)
    if (match instanceof Element && next instanceof Element) weave(match, next)
    else if (match.nodeValue !== next.nodeValue) match.nodeValue = next.nodeValue
    at = match.nextSibling
  }
  while (at) {
    const gone = at
    at = at.nextSibling
    if (!(gone instanceof Element && (holds(gone) || gone.matches('.flash')))) gone.remove()
  }
}

// Pages that follow what happens: text is added as it is written, and when anything else has
// changed the part is woven in anew.
const follow = (part: HTMLElement): void => {
  let source: EventSource | null = null
  let came = ''
  const close = (): void => {
    source?.close()
    source = null
  }
  const renew = async (): Promise<void> => {
    close()
    const answer = await fetch(location.pathname + location.search).catch(() => null)
    const fresh = answer?.ok
      ? new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part.id)
      : null
    if (!fresh) return void setTimeout(open, 10_000)
    const atEnd = part.dataset.tail !== undefined && innerHeight + scrollY > root.scrollHeight - 40
    const { said } = part.dataset
    weave(part, fresh)
    refreshTimes()
    if (part.dataset.said !== said) say(part.dataset.said ?? '')
    showEnds(part)
    nearParts(part)
    if (atEnd) scrollTo(0, root.scrollHeight)
    came = ''
    setTimeout(open, 500)
  }
  // A browser has few connections to a site, so pages that nobody looks at give theirs back.
  const open = (): void => {
    const address = part.dataset.live
    if (source || document.hidden || !address) return
    const url = new URL(address, location.href)
    if (came) url.searchParams.set('after', came)
    source = new EventSource(url)
    source.addEventListener('text', ({ data, lastEventId }) => {
      came = lastEventId
      const { id, text } = JSON.parse(data) as { id: string; text: string }
      const log = document.getElementById(id)
      if (!log) return
      const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
      log.append(text)
      if (atEnd) log.scrollTop = log.scrollHeight
    })
    source.addEventListener('changed', () => void renew())
  }
  document.addEventListener('visibilitychange', () => (document.hidden ? close() : open()))
  addEventListener('pagehide', close)
  addEventListener('pageshow', open)
  open()
}
const showEnds = (part: ParentNode): void => {
  for (const log of part.querySelectorAll('.check-log')) log.scrollTop = log.scrollHeight
}
showEnds(document)
for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) follow(part)

// Keys. A link or field says in `data-hotkey` which keys lead to it; `?` lists them.
const wordsOf = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ??
  element.textContent?.trim().replace(/\s+\d[\d,+]*$/, '') ??
  ''

const showShortcuts = (): void => {
  document.querySelector('dialog.shortcuts')?.remove()
  const dialog = document.createElement('dialog')
  dialog.className = 'shortcuts'
  const title = document.createElement('h2')
  title.id = 'shortcuts-title'
  title.textContent = 'Keyboard shortcuts'
  dialog.setAttribute('aria-labelledby', title.id)
  const list = document.createElement('dl')
  const add = (keys: string, words: string): void => {
    const term = document.createElement('dt')
    for (const key of keys.split(' ')) {
      const cap = document.createElement('kbd')
      cap.textContent = key
      term.append(cap, ' ')
    }
    const meaning = document.createElement('dd')
    meaning.textContent = words
    list.append(term, meaning)
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-hotkey]'))
    add(element.dataset.hotkey ?? '', wordsOf(element))
  if (document.querySelector('.code')) add('l', 'Go to a line')
  if (document.querySelector('.row-link')) add('j k', 'The next and the previous row')
  for (const element of document
    .querySelector('.row')
    ?.querySelectorAll<HTMLElement>('[data-row-key]') ?? [])
    add(element.dataset.rowKey ?? '', `${element.textContent?.trim() ?? ''} (in a row)`)
  add('Ctrl K', 'Go to a repository, number or page')
  add('Ctrl Enter', 'Send what you are writing')
  add('?', 'This list')
  const close = document.createElement('button')
  close.type = 'button'
  close.className = 'btn btn-plain'
  close.textContent = 'Close'
  close.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  dialog.append(title, list, close)
  document.body.append(dialog)
  dialog.showModal()
}
document.addEventListener('click', (event) => {
  if (event.target instanceof Element && event.target.closest('[data-shortcuts]')) showShortcuts()
})

// Going somewhere by a few letters. The link that opens it leads to the search without a script.
const openJump = (link: HTMLElement): void => {
  const make = <K extends keyof HTMLElementTagNameMap>(
    name: K,
    values: Record<string, string>,
  ): HTMLElementTagNameMap[K] => {
    const element = document.createElement(name)
    for (const [key, value] of Object.entries(values)) element.setAttribute(key, value)
    return element
  }
  const dialog = make('dialog', { class: 'shortcuts jump', 'aria-label': 'Go to' })
  const input = make('input', {
    class: 'input',
    type: 'text',
    role: 'combobox',
    'aria-label': 'Repository, number or page',
    placeholder: 'Repository, #number or page',
    'aria-expanded': 'true',
    'aria-controls': 'jump-list',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const list = make('ul', { id: 'jump-list', role: 'listbox', 'aria-label': 'Places' })
  let at = 0
  let asked = new AbortController()
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('a')]
  const choose = (to: number): void => {
    const all = options()
    at = all.length === 0 ? 0 : (to + all.length) % all.length
    all.forEach((option, index) => option.setAttribute('aria-selected', String(index === at)))
    all[at]?.scrollIntoView({ block: 'nearest' })
    input.setAttribute('aria-activedescendant', all[at]?.id ?? '')
  }
  const ask = async (): Promise<void> => {
    asked.abort()
    asked = new AbortController()
    const query = new URLSearchParams({ q: input.value, repo: link.dataset.jump ?? '' })
    const found: { items: { title: string; detail: string | null; path: string }[] } | null =
      await fetch(`/-/jump?${query}`, { signal: asked.signal })
        .then((answer) => (answer.ok ? answer.json() : null))
        .catch(() => null)
    if (!found) return
    list.replaceChildren(
      ...found.items.map(({ title, detail, path }, index) => {
        const row = make('li', { role: 'presentation' })
        const option = make('a', {
          id: `jump-${index}`,
          role: 'option',
          href: path,
          tabindex: '-1',
        })
        const more = make('span', { class: 'muted' })
        more.textContent = detail
        option.append(title, ' ', more)
        row.append(option)
        return row
      }),
    )
    choose(0)
  }
  input.addEventListener('input', () => void ask())
  input.addEventListener('keydown', (event) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (event.isComposing || (step === 0 && event.key !== 'Enter')) return
    event.preventDefault()
    if (step === 0) options()[at]?.click()
    else choose(at + step)
  })
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close()
  })
  dialog.addEventListener('close', () => dialog.remove())
  dialog.append(input, list)
  document.body.append(dialog)
  dialog.showModal()
  input.focus()
  void ask()
}
const jumpLink = document.querySelector<HTMLElement>('[data-jump]')
jumpLink?.addEventListener('click', (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  openJump(jumpLink)
})
document.addEventListener('keydown', (event) => {
  if (
    event.key !== 'k' ||
    !(event.ctrlKey || event.metaKey) ||
    event.altKey ||
    !jumpLink ||
    document.querySelector('dialog[open]')
  )
    return
  event.preventDefault()
  openJump(jumpLink)
})

/** Moves the focus to the title of the next or previous row of the lists. */
const stepRows = (by: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('.row')].flatMap(
    (row) => row.querySelector<HTMLElement>('.row-link') ?? [],
  )
  const at = rows.findIndex((link) => link.closest('.row')?.contains(document.activeElement))
  rows[
    at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))
  ]?.focus()
}

let lastKey = ''
let lastAt = 0
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    for (const menu of openMenus()) {
      menu.open = false
      menu.querySelector('summary')?.focus()
    }
    return
  }
  if (
    event.key === 'Enter' &&
    (event.ctrlKey || event.metaKey) &&
    event.target instanceof HTMLTextAreaElement
  ) {
    event.preventDefault()
    event.target.form?.requestSubmit()
    return
  }
  if (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    event.isComposing ||
    typing(event.target) ||
    document.querySelector('dialog[open]')
  )
    return
  if (event.key === '?') {
    event.preventDefault()
    showShortcuts()
    return
  }
  if (event.key === 'l' && document.querySelector('.code')) {
    const line = Number(prompt('Go to line'))
    if (Number.isInteger(line) && line > 0) location.hash = `#L${line}`
    return
  }
  if (event.key === 'j' || event.key === 'k') {
    stepRows(event.key === 'j' ? 1 : -1)
    return
  }
  const now = Date.now()
  const two = now - lastAt < 1_200 ? `${lastKey} ${event.key}` : ''
  lastKey = event.key
  lastAt = now
  const targets = [...document.querySelectorAll<HTMLElement>('[data-hotkey]')]
  const inRow = [
    ...(document.activeElement?.closest('.row')?.querySelectorAll<HTMLElement>('[data-row-key]') ??
      []),
  ]
  const found =
    targets.find((element) => element.dataset.hotkey === two) ??
    [...inRow, ...targets].find(
      (element) => (element.dataset.rowKey ?? element.dataset.hotkey) === event.key,
    )
  if (!found) return
  event.preventDefault()
  lastKey = ''
  if (typing(found)) {
    found.focus()
    if (found instanceof HTMLInputElement) found.select()
  } else found.click()
})

/**
 * SHA-256 (FIPS 180-4) of a short text; the browser's own is there on encrypted pages only, and
 * answers later.
 */
const ROUND = Array.from({ length: 64 }, () => 0)
const START = Array.from({ length: 8 }, () => 0)
for (let prime = 2, found = 0; found < 64; prime++) {
  let isPrime = true
  for (let factor = 2; factor * factor <= prime; factor++) if (prime % factor === 0) isPrime = false
  if (!isPrime) continue
  if (found < 8) START[found] = (Math.sqrt(prime) * 2 ** 32) | 0
  ROUND[found++] = (Math.cbrt(prime) * 2 ** 32) | 0
}
const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))
function firstWord(text: string): number {
  const bytes = new Uint8Array((((text.length + 8) >> 6) + 1) << 6)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  bytes[text.length] = 128
  const view = new DataView(bytes.buffer)
  view.setUint32(bytes.length - 4, text.length * 8)
  const state = [...START]
  const words = new Int32Array(64)
  for (let block = 0; block < bytes.length; block += 64) {
    for (let i = 0; i < 64; i++) {
      if (i < 16) words[i] = view.getInt32(block + i * 4)
      else {
        const [a, b] = [words[i - 15] ?? 0, words[i - 2] ?? 0]
        words[i] =
          (words[i - 16] ?? 0) +
          (turn(a, 7) ^ turn(a, 18) ^ (a >>> 3)) +
          (words[i - 7] ?? 0) +
          (turn(b, 17) ^ turn(b, 19) ^ (b >>> 10))
      }
    }
    let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
    for (let i = 0; i < 64; i++) {
      const one =
        (h +
          (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
          ((e & f) ^ (~e & g)) +
          (ROUND[i] ?? 0) +
          (words[i] ?? 0)) |
        0
      const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
      ;[h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0]
    }
    ;[a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] = ((state[i] ?? 0) + word) | 0))
  }
  return (state[0] ?? 0) >>> 0
}

/**
 * The work that stands before costly pages for readers who are not signed in: in pieces, so that
 * the page can be left.
 */
function work(form: HTMLFormElement): void {
  const challenge = form.dataset.work ?? ''
  const rest = 32 - Number(form.dataset.bits)
  const answer = form.elements.namedItem('answer')
  if (!(answer instanceof HTMLInputElement)) return
  let tried = 0
  const step = (): void => {
    for (const end = tried + 2_000; tried < end; tried++) {
      if (firstWord(`${challenge}:${tried}`) >>> rest !== 0) continue
      answer.value = String(tried)
      form.submit()
      return
    }
    setTimeout(step)
  }
  step()
}
for (const form of document.querySelectorAll<HTMLFormElement>('form[data-work]')) work(form)
