// What the pages do better with a script. Each part is on its own, and a page without it works the same, only plainer.
import { relativeText } from './relative.ts'

const root = document.documentElement
root.classList.add('has-js')

const typing = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:input|textarea|select)$/i.test(target.tagName))

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

document.addEventListener('click', (event) => {
  if (!(event.target instanceof Element)) return
  const button = event.target.closest<HTMLButtonElement>('button[data-copy], button[data-copy-from]')
  if (!button) return
  const source = button.dataset.copyFrom === undefined ? null : document.getElementById(button.dataset.copyFrom)
  const text = source instanceof HTMLInputElement || source instanceof HTMLTextAreaElement ? source.value : (source?.textContent?.trim() ?? button.dataset.copy ?? '')
  void copyText(text).then((done) => {
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
  })
})

// Passkeys. Such a form is shown where the browser knows them; sending it asks for one first.
const passkeys = typeof PublicKeyCredential === 'undefined' || !('parseRequestOptionsFromJSON' in PublicKeyCredential) ? null : PublicKeyCredential
const passkeyForms = [...document.querySelectorAll<HTMLFormElement>('form[data-passkey]')]
const answerOf = (form: HTMLFormElement): HTMLInputElement | null => form.querySelector('input[name=response]')

async function askPasskey(known: typeof PublicKeyCredential, { passkey, options = '{}' }: DOMStringMap): Promise<string> {
  const made =
    passkey === 'create'
      ? await navigator.credentials.create({ publicKey: known.parseCreationOptionsFromJSON(JSON.parse(options)) })
      : await navigator.credentials.get({ publicKey: known.parseRequestOptionsFromJSON(JSON.parse(options)) })
  return JSON.stringify(made)
}

if (passkeys) {
  for (const form of passkeyForms) form.hidden = false
  document.addEventListener(
    'submit',
    (event) => {
      const form = event.target
      const answer = form instanceof HTMLFormElement && form.dataset.passkey !== undefined ? answerOf(form) : null
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
  if (!(form instanceof HTMLFormElement) || form.dataset.once === undefined || event.defaultPrevented) return
  if (form.dataset.sent !== undefined) {
    event.preventDefault()
    return
  }
  form.dataset.sent = ''
  // After the values were read: a disabled button would not send its own.
  setTimeout(() => {
    for (const button of form.querySelectorAll<HTMLButtonElement>('button[type=submit], button:not([type])')) button.setAttribute('aria-disabled', 'true')
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
    for (const button of form.querySelectorAll('[aria-disabled]')) button.removeAttribute('aria-disabled')
  }
})

// Text fields grow with their text where style alone cannot do it.
if (!CSS.supports('field-sizing', 'content')) {
  const grow = (area: HTMLTextAreaElement): void => {
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight + 2}px`
  }
  for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-autosize]')) grow(area)
  document.addEventListener('input', (event) => {
    if (event.target instanceof HTMLTextAreaElement && event.target.dataset.autosize !== undefined) grow(event.target)
  })
}

// Menus open towards the side where there is room, and close when one looks elsewhere.
document.addEventListener(
  'toggle',
  (event) => {
    const panel = event.target instanceof HTMLDetailsElement && event.target.open ? event.target.querySelector(':scope > .menu-panel') : null
    if (!panel) return
    const { left, right } = panel.getBoundingClientRect()
    if (right > innerWidth) panel.classList.remove('menu-left')
    else if (left < 0) panel.classList.add('menu-left')
  },
  true,
)
const openMenus = (): HTMLDetailsElement[] => [...document.querySelectorAll<HTMLDetailsElement>('details[data-menu][open]')]
document.addEventListener('click', (event) => {
  for (const menu of openMenus()) if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false
})

// The current tab is in sight where the strip is too long for the window.
for (const strip of document.querySelectorAll<HTMLElement>('.tabs ul, .sidenav')) {
  const current = strip.querySelector<HTMLElement>('[aria-current]')
  if (current && strip.scrollWidth > strip.clientWidth) strip.scrollLeft = current.offsetLeft - strip.offsetLeft - (strip.clientWidth - current.offsetWidth) / 2
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
  for (let line = range[0]; line <= range[1]; line++) document.getElementById(`L${line}`)?.classList.add('lit')
  if (scroll) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: 'center' })
}
let lastLine = Number(/^#L(\d+)/.exec(location.hash)?.[1] ?? 0)
document.addEventListener('click', (event) => {
  const line = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('.code .ln a') : null
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

// Parts that are followed while something is under way: text is added as it is written, and when anything else has changed the
// part is taken anew from its page. What was unfolded stays so.
const follow = (part: HTMLElement): void => {
  const address = part.dataset.live
  if (!address) return
  const source = new EventSource(address)
  source.addEventListener('text', ({ data }) => {
    const { id, text } = JSON.parse(data) as { id: string; text: string }
    const log = document.getElementById(id)
    if (!log) return
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
    log.append(text)
    if (atEnd) log.scrollTop = log.scrollHeight
  })
  source.addEventListener('changed', () => {
    source.close()
    void fetch(location.pathname + location.search).then(async (answer) => {
      const fresh = answer.ok && new DOMParser().parseFromString(await answer.text(), 'text/html').getElementById(part.id)
      if (!fresh) return
      for (const old of part.querySelectorAll<HTMLDetailsElement>('details[id][open]')) fresh.querySelector(`#${CSS.escape(old.id)}`)?.setAttribute('open', '')
      part.replaceWith(fresh)
      refreshTimes()
      if (fresh.dataset.said !== part.dataset.said) say(fresh.dataset.said ?? '')
      showEnds(fresh)
      follow(fresh)
    })
  })
  addEventListener('pagehide', () => source.close(), { once: true })
}
const showEnds = (part: ParentNode): void => {
  for (const log of part.querySelectorAll('.check-log')) log.scrollTop = log.scrollHeight
}
showEnds(document)
for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) follow(part)

// Keys. A link or field says in `data-hotkey` which keys lead to it; `?` lists them.
const wordsOf = (element: HTMLElement): string =>
  element.getAttribute('aria-label') ?? element.textContent?.trim().replace(/\s+\d[\d,+]*$/, '') ?? ''

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
  for (const element of document.querySelectorAll<HTMLElement>('[data-hotkey]')) add(element.dataset.hotkey ?? '', wordsOf(element))
  if (document.querySelector('.code')) add('l', 'Go to a line')
  if (document.querySelector('.row-link')) add('j k', 'The next and the previous row')
  for (const element of document.querySelector('.row')?.querySelectorAll<HTMLElement>('[data-row-key]') ?? []) add(element.dataset.rowKey ?? '', `${element.textContent?.trim() ?? ''} (in a row)`)
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

/** Moves the focus to the title of the next or previous row of the lists. */
const stepRows = (by: 1 | -1): void => {
  const rows = [...document.querySelectorAll<HTMLElement>('.row')].flatMap((row) => row.querySelector<HTMLElement>('.row-link') ?? [])
  const at = rows.findIndex((link) => link.closest('.row')?.contains(document.activeElement))
  rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + by))]?.focus()
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
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target instanceof HTMLTextAreaElement) {
    event.preventDefault()
    event.target.form?.requestSubmit()
    return
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || typing(event.target) || document.querySelector('dialog[open]')) return
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
  const inRow = [...(document.activeElement?.closest('.row')?.querySelectorAll<HTMLElement>('[data-row-key]') ?? [])]
  const found = targets.find((element) => element.dataset.hotkey === two) ?? [...inRow, ...targets].find((element) => (element.dataset.rowKey ?? element.dataset.hotkey) === event.key)
  if (!found) return
  event.preventDefault()
  lastKey = ''
  if (typing(found)) {
    found.focus()
    if (found instanceof HTMLInputElement) found.select()
  } else found.click()
})
