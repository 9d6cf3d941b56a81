// Forms whose result is shown on the same page: the server says where the form leads, and when that is this
// page, it is fetched and morphed. Without a script the form leads there by itself.
import { announce } from './announce.ts'
import { fetchPage, isEditable, writtenIn } from './dom.ts'
import { forgetDrafts } from './drafts.ts'
import { showError } from './form-error.ts'
import { morph } from './morph.ts'
import { refreshParts } from './refresh.ts'

/** The parts of a page that a form may have changed. */
const PARTS = ['.site-header', '.thing-header', '#content']

/** Attributes, because a field may be named like one: a merge has the field `method`. */
const attributeOf = (element: Element | null, name: string): string | null =>
  element?.getAttribute(name) ?? null

const bodyOf = (form: HTMLFormElement, submitter: HTMLElement | null): BodyInit => {
  const data = new FormData(form, submitter)
  return attributeOf(form, 'enctype') === 'multipart/form-data'
    ? data
    : new URLSearchParams([...data].map(([name, value]) => [name, String(value)]))
}

function showPage(page: Document, form: HTMLFormElement | null): void {
  document.title = page.title
  for (const part of PARTS) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)]
    if (old && fresh) morph(old, fresh, form)
  }
  refreshParts()
}

/** Leaves what was opened for a form. */
function closeForm(form: HTMLFormElement): void {
  form
    .closest<HTMLDetailsElement>('details.more[open], details[data-menu][open]')
    ?.removeAttribute('open')
}

/** Where the focus goes when what had it is gone. */
function keepFocus(before: Element | null): void {
  if (before instanceof HTMLElement && before.isConnected && before.checkVisibility())
    before.focus({ preventScroll: true })
  else document.getElementById('content')?.focus({ preventScroll: true })
}

let fetched = 0
let shown = 0

/** Shows the page after a form. `sent` are the texts that were sent; what was written since then stays. */
async function showResult(address: string, form: HTMLFormElement, sent: string): Promise<void> {
  const serial = ++fetched
  const url = new URL(address, location.href)
  const page =
    url.pathname === location.pathname ? await fetchPage(url.pathname + url.search) : null
  if (!page) return location.assign(url)
  const details = form.closest('details')
  const isAsSent = writtenIn(form) === sent
  const before = details?.matches('.more, [data-menu], [data-picker]')
    ? details.querySelector('summary')
    : isAsSent && isEditable(document.activeElement)
      ? // Keys are shortcuts again once a text is sent.
        form.querySelector('.btn-primary')
      : document.activeElement
  if (isAsSent) {
    forgetDrafts(form)
    form.reset()
  }
  closeForm(form)
  // The page of a form that was sent later may have come earlier.
  if (serial > shown) {
    shown = serial
    showPage(page, isAsSent ? form : null)
  }
  history.replaceState(history.state, '', url)
  const said = document.querySelector('#content > .notice')?.textContent
  if (said) announce(said)
  if (url.hash) document.getElementById(url.hash.slice(1))?.scrollIntoView({ block: 'nearest' })
  keepFocus(before)
}

/** Shows the page of a refused form, which has the typed values and the reason. */
function showRefusal(html: string, form: HTMLFormElement): void {
  const page = new DOMParser().parseFromString(html, 'text/html')
  // A form without a page of its own is answered by a page of the error alone.
  const reasonAlone = page.querySelector('.error-page .empty-text')
  if (reasonAlone) return showError(form, reasonAlone.textContent)
  showPage(page, form)
  const reason = document.querySelector<HTMLElement>('#content :is([aria-invalid], [role=alert])')
  reason?.scrollIntoView({ block: 'nearest' })
  reason?.focus({ preventScroll: true })
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const sent = writtenIn(form)
  const action = attributeOf(submitter, 'formaction') ?? attributeOf(form, 'action')
  const response = await fetch(action ?? '', {
    method: 'POST',
    headers: { 'hearth-in-place': '1' },
    body: bodyOf(form, submitter),
  }).catch(() => null)
  const address = response?.headers.get('hearth-location')
  if (address) await showResult(address, form, sent)
  else if (response?.headers.get('content-type')?.startsWith('text/html'))
    showRefusal(await response.text(), form)
  else showError(form, null)
}

let sending = 0
let sends = 0
/** Live pages wait, so that the message about what was done comes with the page of the form. */
export const isSending = (): boolean => sending > 0
/** How many forms were sent since the page was opened. */
export const sendCount = (): number => sends

document.addEventListener('submit', (event) => {
  const { target: form, submitter, defaultPrevented } = event
  if (!(form instanceof HTMLFormElement) || defaultPrevented) return
  if (attributeOf(form, 'method') !== 'post' || !form.closest('[data-in-place]')) return
  event.preventDefault()
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  sending++
  sends++
  void send(form, submitter).finally(() => {
    form.ariaBusy = null
    sending--
  })
})
