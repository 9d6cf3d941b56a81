// Comments on lines of a change, made in their place. Without a script the links lead to a page with
// the form, and the form to a page with the comment.
import { announce } from './announce.ts'
import { keepPlace, markViewed } from './change-tree.ts'
import { anchorOf, limitToFile } from './changed-file.ts'
import { closestTo, createElement, fetchPage, isPlainClick, writtenIn } from './dom.ts'
import { forgetDrafts, restoreDrafts } from './drafts.ts'
import { showError } from './form-error.ts'
import { morph } from './morph.ts'
import { refreshParts } from './refresh.ts'

/** The links to the form for a comment, one in each line. */
const COMMENT_LINKS = '.diff-table > tbody > tr > td > a[href*="on=d"]'

/** The line that a link for a comment is about: its id, and what the id says. */
type Line = {
  link: HTMLAnchorElement
  id: string
  side: string
  line: number
  file: HTMLElement | null
}

const lineOf = (link: HTMLAnchorElement): Line => {
  const id = new URL(link.href).searchParams.get('on') ?? ''
  const [, side = '', line] = /([LR])(\d+)$/.exec(id) ?? []
  return { link, id, side, line: Number(line), file: link.closest<HTMLElement>('.diff-file') }
}

const rowOf = ({ link }: Line): HTMLTableRowElement | null => link.closest('tr')

/** The link of a row for one side. */
const linkIn = (row: Element | null | undefined, side: string): HTMLAnchorElement | undefined =>
  [...(row?.querySelectorAll<HTMLAnchorElement>(COMMENT_LINKS) ?? [])].find(
    (link) => lineOf(link).side === side,
  )

/** The part of the page that a form was added to, below a row. */
function placeBelow(row: HTMLTableRowElement): Element {
  const next = row.nextElementSibling
  const there = next?.matches('.thread-row') ? next.querySelector('.thread') : null
  if (there) return there
  const below = createElement('tr', { class: 'thread-row' })
  const cell = below.insertCell()
  cell.colSpan = [...row.cells].reduce((sum, { colSpan }) => sum + colSpan, 0)
  const thread = createElement('div', { class: 'thread' })
  cell.append(thread)
  row.after(below)
  return thread
}

/** Opens the form for a comment that ends on a line. `start` is the first line of a range. */
async function openForm(place: Line, start: number | null): Promise<void> {
  const { link, file } = place
  const url = new URL(link.href)
  const id = `comment-${place.id}`
  const open = document.getElementById(id)
  if (open && start === null) return open.querySelector('textarea')?.focus()
  if (link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  limitToFile(url, file)
  if (start !== null) url.searchParams.set('start', String(start))
  const form = (await fetchPage(url))?.getElementById(id)
  link.ariaBusy = null
  const row = rowOf(place)
  if (!form || !row) return location.assign(link.href)
  const typed = open?.querySelector('textarea')?.value
  open?.remove()
  placeBelow(row).append(form)
  restoreDrafts(form)
  const area = form.querySelector('textarea')
  if (area && typed) area.value = typed
  area?.focus()
}

let last: Line | null = null
/** Opens the form for the lines between two, in any order. */
function openRange(from: Line, to: Line): void {
  const [first, end] = from.line <= to.line ? [from, to] : [to, from]
  last = end
  void openForm(end, first.line === end.line ? null : first.line)
}

const isSameSide = (a: Line, b: Line): boolean => a.side === b.side && a.file === b.file

document.addEventListener('click', (event) => {
  const link = closestTo<HTMLAnchorElement>(event, COMMENT_LINKS)
  const isRange = event.shiftKey && event.button === 0 && !event.ctrlKey && !event.metaKey
  if (!link || !(isPlainClick(event) || isRange)) return
  event.preventDefault()
  const place = lineOf(link)
  if (isRange && last && isSameSide(last, place)) openRange(last, place)
  else {
    last = place
    void openForm(place, null)
  }
})

// Dragging from the + of a line to another line.
let dragged: Line | null = null
let target: Line | null = null
const mark = (from: Line | null, to: Line | null): void => {
  for (const row of document.querySelectorAll('.diff-table tr.lit')) row.classList.remove('lit')
  const table = from && to ? from.file : null
  if (!from || !to) return
  const [first, end] = from.line <= to.line ? [from.line, to.line] : [to.line, from.line]
  for (const link of table?.querySelectorAll<HTMLAnchorElement>(COMMENT_LINKS) ?? []) {
    const { side, line } = lineOf(link)
    if (side === from.side && line >= first && line <= end) link.closest('tr')?.classList.add('lit')
  }
}
document.addEventListener('dragstart', (event) => {
  if (closestTo(event, COMMENT_LINKS)) event.preventDefault()
})
document.addEventListener('pointerdown', (event) => {
  const link = closestTo<HTMLAnchorElement>(event, COMMENT_LINKS)
  dragged = link && event.pointerType === 'mouse' && event.button === 0 ? lineOf(link) : null
  target = null
})
document.addEventListener('pointermove', (event) => {
  if (!dragged) return
  const row = document.elementFromPoint(event.clientX, event.clientY)?.closest('tr')
  const link = linkIn(row, dragged.side)
  const place = link && lineOf(link)
  if (!place || place.file !== dragged.file || place.line === (target ?? dragged).line) return
  target = place
  getSelection()?.removeAllRanges()
  mark(dragged, target)
})
document.addEventListener('pointerup', () => {
  if (dragged && target && target.line !== dragged.line) openRange(dragged, target)
  mark(null, null)
  dragged = null
})

/** Puts a suggestion of the commented lines where the cursor is. */
function addSuggestion(form: HTMLFormElement): boolean {
  const area = form.querySelector('textarea')
  const field = (name: string) =>
    form.querySelector<HTMLInputElement>(`[name=${name}]`)?.value ?? ''
  const line = Number(field('line'))
  const anchor = anchorOf(form.closest('.diff-file'))
  const lines: string[] = []
  for (let at = Number(field('start_line')) || line; at <= line; at++) {
    const cell = document
      .getElementById(`${anchor}R${at}`)
      ?.closest('tr')
      ?.querySelector(':scope > td:last-child')
      ?.cloneNode(true) as Element | undefined
    if (!cell) return false
    for (const note of cell.querySelectorAll('.no-newline')) note.remove()
    lines.push((cell.textContent ?? '').replace(/\n$/, ''))
  }
  if (!area || lines.length === 0) return false
  const text = lines.join('\n')
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  const before = area.value.slice(0, area.selectionEnd).trimEnd()
  const after = area.value.slice(area.selectionEnd)
  const block = `${before === '' ? '' : '\n\n'}${fence}suggestion\n`
  area.value = `${before}${block}${text}\n${fence}\n${after}`
  const from = before.length + block.length
  area.focus()
  area.setSelectionRange(from, from + text.length)
  area.dispatchEvent(new Event('input', { bubbles: true }))
  return true
}

/** Removes a form, with its row when nothing else is in it. */
function removeForm(form: Element): void {
  const row = form.closest('.thread-row')
  form.remove()
  if (row && !row.querySelector('.thread')?.firstElementChild) row.remove()
}

document.addEventListener('click', (event) => {
  const suggest = closestTo<HTMLButtonElement>(event, '.line-form button[value=suggest]')
  if (suggest?.form && addSuggestion(suggest.form)) event.preventDefault()
  const cancel = closestTo<HTMLAnchorElement>(event, '[data-cancel-comment]')
  const wrapper = cancel?.closest('.line-form')
  if (!wrapper || !isPlainClick(event)) return
  event.preventDefault()
  const form = wrapper.querySelector('form')
  if (form) forgetDrafts(form)
  removeForm(wrapper)
})

/** Shows the file and the button for the review as they are on the page that a form led to. */
function showFresh(page: Document, file: HTMLElement): void {
  const fresh = page.getElementById(file.id)
  if (fresh) {
    keepPlace(file, fresh)
    morph(file, fresh)
  }
  const bar = document.getElementById('finish')
  const freshBar = page.getElementById('finish')
  if (bar && freshBar)
    bar.querySelector('summary')?.replaceWith(...freshBar.querySelectorAll('summary'))
  refreshParts()
}

const commentsIn = (file: HTMLElement): HTMLElement[] => [
  ...file.querySelectorAll<HTMLElement>('.comment'),
]

/** Sends a form of a line or a thread, and shows the result in its place. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  // The forms of the viewed marks are outside of the files that their buttons are in.
  const file = (form.closest('.diff-file') ??
    submitter?.closest('.diff-file') ??
    null) as HTMLElement | null
  const sent = writtenIn(form)
  const data = new FormData(form, submitter)
  const back = new URL(String(data.get('back')), location.href)
  const viewed = data.get('viewed')
  limitToFile(back, file)
  data.set('back', `${back.pathname}${back.search}`)
  const body =
    form.enctype === 'multipart/form-data'
      ? data
      : new URLSearchParams([...data].map(([name, value]) => [name, String(value)]))
  const response = await fetch(form.action, { method: 'POST', body }).catch(() => null)
  const page = response && new DOMParser().parseFromString(await response.text(), 'text/html')
  const wrapper = form.closest('.line-form')
  const refused = wrapper && page?.getElementById(wrapper.id)
  if (response?.ok && page && file) {
    const hadFocus = (wrapper ?? form).contains(document.activeElement)
    const known = new Set(commentsIn(file).map(({ id }) => id))
    // What was written since then stays.
    if (writtenIn(form) === sent) {
      forgetDrafts(form)
      if (wrapper) removeForm(wrapper)
      else closeForm(form)
    }
    showFresh(page, file)
    const said = page.querySelector('#content > .notice')?.textContent
    if (said) announce(said)
    if (viewed !== null && file instanceof HTMLDetailsElement) {
      file.open = viewed !== 'yes'
      markViewed(file, viewed === 'yes')
      file
        .querySelector<HTMLElement>(file.open ? '.diff-tools button' : 'summary')
        ?.focus({ preventScroll: true })
      file.scrollIntoView({ block: 'nearest' })
    }
    const written = commentsIn(file).find(({ id }) => !known.has(id))
    written?.scrollIntoView({ block: 'nearest' })
    // The keyboard goes on at the comment, because the form is gone.
    if (hadFocus && document.activeElement === document.body)
      written
        ?.querySelector<HTMLElement>(`a[href="#${written.id}"]`)
        ?.focus({ preventScroll: true })
  } else if (refused) {
    wrapper.replaceWith(refused)
    refused.querySelector('textarea')?.focus({ preventScroll: true })
  } else
    showError(
      viewed === null ? form : (file?.querySelector('.diff-tools') ?? form),
      page?.querySelector('.field-error, .notice-bad')?.textContent ?? null,
    )
}

/** Leaves a form that was sent as it was before, so that it may change with the page. */
function closeForm(form: HTMLFormElement): void {
  form.reset()
  if (document.activeElement instanceof HTMLElement && form.contains(document.activeElement))
    document.activeElement.blur()
  const details = form.closest('details.more')
  if (details instanceof HTMLDetailsElement) details.open = false
}

/** The forms of a file that are sent in their place: those of threads, and the viewed marks. */
const FORMS_OF_FILES =
  '.diff-file .thread form:not([action$="/suggestions"]):has([name=back]), #mark-viewed, #mark-unviewed'

// Before `in-place.ts`, which would show the page of the form without the parts that were added to this one.
document.addEventListener('submit', (event) => {
  const { target: form, submitter, defaultPrevented } = event
  if (!(form instanceof HTMLFormElement) || defaultPrevented) return
  if (!form.matches(FORMS_OF_FILES)) return
  event.preventDefault()
  // All files share the forms of the viewed marks.
  const busy = form.closest('.diff-file') ? form : (submitter ?? form)
  if (busy.ariaBusy === 'true') return
  busy.ariaBusy = 'true'
  void send(form, submitter).finally(() => (busy.ariaBusy = null))
})
