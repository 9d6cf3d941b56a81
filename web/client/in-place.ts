// Forms whose result is shown on the same page: the server says where the form leads, and when that is this
// page, it is fetched and morphed. Without a script the form leads there by itself.
import { announce } from './announce.ts'
import { createElement, fetchPage, isEditable } from './dom.ts'
import { forgetDrafts } from './drafts.ts'
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

function showPage(page: Document, form: HTMLFormElement): void {
  document.title = page.title
  for (const part of PARTS) {
    const [old, fresh] = [document.querySelector(part), page.querySelector(part)]
    if (old && fresh) morph(old, fresh, form)
  }
  refreshParts()
}

/** Leaves what was opened for a form, and the form as it was before. */
function closeForm(form: HTMLFormElement): void {
  forgetDrafts(form)
  form.reset()
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

async function showResult(address: string, form: HTMLFormElement): Promise<void> {
  const url = new URL(address, location.href)
  const page =
    url.pathname === location.pathname ? await fetchPage(url.pathname + url.search) : null
  if (!page) return location.assign(url)
  const details = form.closest('details')
  const before = details?.matches('.more, [data-menu], [data-picker]')
    ? details.querySelector('summary')
    : isEditable(document.activeElement)
      ? // Keys are shortcuts again once a text is sent.
        form.querySelector('.btn-primary')
      : document.activeElement
  closeForm(form)
  showPage(page, form)
  history.replaceState(history.state, '', url)
  const said = document.querySelector('#content > .notice')?.textContent
  if (said) announce(said)
  if (url.hash) document.getElementById(url.hash.slice(1))?.scrollIntoView({ block: 'nearest' })
  keepFocus(before)
}

/** Says above a form why it was not taken. */
export function showError(form: HTMLFormElement, text: string | null): void {
  form.querySelector('.notice-bad')?.remove()
  const notice = createElement('div', { class: 'notice notice-bad', role: 'alert' })
  notice.textContent = text ?? 'This could not be sent. Try again.'
  form.prepend(notice)
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
  const action = attributeOf(submitter, 'formaction') ?? attributeOf(form, 'action')
  const response = await fetch(action ?? '', {
    method: 'POST',
    headers: { 'hearth-in-place': '1' },
    body: bodyOf(form, submitter),
  }).catch(() => null)
  const address = response?.headers.get('hearth-location')
  if (address) await showResult(address, form)
  else if (response?.headers.get('content-type')?.startsWith('text/html'))
    showRefusal(await response.text(), form)
  else showError(form, null)
}

let sending = 0
/** Live pages wait, so that the message about what was done comes with the page of the form. */
export const isSending = (): boolean => sending > 0

document.addEventListener('submit', (event) => {
  const { target: form, submitter, defaultPrevented } = event
  if (!(form instanceof HTMLFormElement) || defaultPrevented) return
  if (attributeOf(form, 'method') !== 'post' || !form.closest('[data-in-place]')) return
  event.preventDefault()
  if (form.ariaBusy === 'true') return
  form.ariaBusy = 'true'
  sending++
  void send(form, submitter).finally(() => {
    form.ariaBusy = null
    sending--
  })
})
