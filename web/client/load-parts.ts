// Parts of a change that are loaded into the open page: more unchanged lines, a file that was left
// out, the next files. Without a script the links lead to pages that show the same.
import { countAppended, keepPlace } from './change-tree.ts'
import { anchorOf, limitToFile } from './changed-file.ts'
import { closestTo, fetchPage, isPlainClick } from './dom.ts'
import { openPart } from './open-part.ts'
import { refreshParts } from './refresh.ts'

/**
 * Replaces the part of the page that a link names by its version at the link's address. A link that
 * names none is about the file that it is in.
 */
const loadPart = async (link: HTMLAnchorElement): Promise<void> => {
  const file = link.closest<HTMLElement>('.diff-file')
  const old = document.getElementById(link.dataset.part || file?.id || '')
  if (!old || link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  const url = new URL(link.href)
  limitToFile(url, file)
  const fresh = (await fetchPage(url))?.getElementById(old.id)
  if (!fresh) return location.assign(link.href)
  const hadFocus = document.activeElement === link
  keepPlace(old, fresh)
  old.replaceWith(fresh)
  refreshParts()
  if (hadFocus)
    fresh.querySelector<HTMLElement>('.hunk-mark a, summary')?.focus({ preventScroll: true })
  loadWhenNear(fresh)
}

/** Adds the next lines of a file below those that are shown. */
const loadRest = async (link: HTMLAnchorElement): Promise<void> => {
  const file = link.closest<HTMLElement>('.diff-file')
  const last = file?.dataset.lines?.split('-')[1]
  if (!file || !last) return location.assign(link.href)
  const next = document.getElementById(`${anchorOf(file)}-${last}`)
  if (next) return next.scrollIntoView({ block: 'start' })
  if (link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  const url = new URL(link.href)
  limitToFile(url, file, `${last}-`)
  const fresh = (await fetchPage(url))?.querySelector<HTMLElement>('.diff-main > .diff-file')
  link.ariaBusy = null
  if (!fresh) return location.assign(link.href)
  keepPlace(file, fresh)
  file.after(fresh)
  refreshParts()
  fresh.querySelector('summary')?.focus({ preventScroll: true })
}

document.addEventListener('click', (event) => {
  const link = closestTo<HTMLAnchorElement>(event, 'a[data-part], a[data-rest]')
  if (!link || !isPlainClick(event)) return
  event.preventDefault()
  void (link.dataset.rest === undefined ? loadPart : loadRest)(link)
})

/**
 * The next files of a large change are appended up to this number, which browsers still scroll
 * without delay. From there on the link leads to a page that begins with the next files.
 */
const MAX_FILES = 500
const isFull = (): boolean => document.querySelectorAll('.diff-file').length >= MAX_FILES

/** Appends the next files of a change. */
const loadMoreFiles = async (link: HTMLAnchorElement): Promise<void> => {
  if (link.ariaBusy === 'true') return
  link.ariaBusy = 'true'
  const fresh = await fetchPage(link.href)
  const footer = document.getElementById('more-files')
  if (!fresh || !footer) return void (link.ariaBusy = null)
  // The next lines of a file may be there already.
  const files = [...fresh.querySelectorAll('.diff-main > .diff-file')].filter(
    ({ id }) => !document.getElementById(id),
  )
  countAppended(files)
  const hadFocus = document.activeElement === link
  // One element for all files: the browser skips it as a whole while it is off screen.
  const batch = document.createElement('div')
  batch.className = 'diff-more'
  batch.append(...files)
  footer.before(batch)
  footer.replaceChildren(...(fresh.getElementById('more-files')?.childNodes ?? []))
  for (const file of files) loadWhenNear(file)
  loadWhenNear(footer)
  refreshParts()
  if (hadFocus) files[0]?.querySelector('summary')?.focus({ preventScroll: true })
}

document.addEventListener('click', (event) => {
  const link = closestTo<HTMLAnchorElement>(event, 'a[data-more], .diff-list a')
  if (!link || !isPlainClick(event)) return
  const target = document.getElementById(link.hash.slice(1))
  if (link.dataset.more !== undefined && !isFull()) void loadMoreFiles(link)
  else if (target) location.hash = link.hash
  else return
  event.preventDefault()
})

/** Loads the part of a change that has the file or line which the address names. */
function openPartOf(id: string): void {
  if (!/^d[0-9a-z]{2,}(?:[LR]\d+)?$/.test(id) || document.getElementById(id)) return
  if (document.querySelector('.diff')) openPart('at', id)
}
addEventListener('hashchange', () => openPartOf(location.hash.slice(1)))
openPartOf(location.hash.slice(1))

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLAnchorElement)) continue
      observer.unobserve(target)
      if (target.dataset.more === undefined) void loadPart(target)
      else if (!isFull()) void loadMoreFiles(target)
    }
  },
  { rootMargin: '1200px' },
)

/** Loads the parts behind the links in an element once they come near the window. */
export const loadWhenNear = (element: ParentNode): void => {
  for (const link of element.querySelectorAll('a[data-near], a[data-more]')) observer.observe(link)
}
loadWhenNear(document)
