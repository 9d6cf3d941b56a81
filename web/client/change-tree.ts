// The tree beside the changes: open where there is room, filtered while one types, and with a mark
// at the file that is read.
import { anchorOf } from './changed-file.ts'

const tree = document.querySelector<HTMLDetailsElement>('[data-change-tree]')
const wide = matchMedia('(min-width: 70rem)')

if (tree) {
  tree.open = wide.matches
  wide.addEventListener('change', () => (tree.open = wide.matches))
  // The style sheet shows a tree that the reader has not closed.
  tree.addEventListener('toggle', () => {
    if (tree.open) delete tree.dataset.closed
    else if (wide.matches) tree.dataset.closed = ''
  })
}

/** Hides the files without all words, and the folders that have none left. */
function filterTree(field: HTMLInputElement): void {
  const words = field.value.toLowerCase().trim().split(/\s+/)
  const lines = tree?.querySelectorAll<HTMLLIElement>('.diff-list li') ?? []
  // Folders come before what is in them, so they are decided last.
  for (const line of [...lines].toReversed()) {
    const path = line.querySelector(':scope > a')?.getAttribute('title')?.toLowerCase()
    line.hidden =
      path === undefined
        ? !line.querySelector('li:not([hidden])')
        : !words.every((word) => path.includes(word))
  }
}

const shownLinks = (): HTMLAnchorElement[] =>
  [...(tree?.querySelectorAll<HTMLAnchorElement>('.diff-list a') ?? [])].filter((link) =>
    link.checkVisibility(),
  )

tree?.addEventListener('input', ({ target }) => {
  if (target instanceof HTMLInputElement && target.dataset.treeFilter !== undefined)
    filterTree(target)
})
tree?.addEventListener('keydown', (event) => {
  const { target, key } = event
  if (!(target instanceof HTMLInputElement) || target.dataset.treeFilter === undefined) return
  if (key !== 'Enter' && key !== 'ArrowDown') return
  event.preventDefault()
  const [first] = shownLinks()
  if (key === 'Enter') first?.click()
  else first?.focus()
})

/** A drawer over the changes closes once it has led to a file. */
tree?.addEventListener('click', ({ target }) => {
  if (!wide.matches && target instanceof Element && target.closest('.diff-list a'))
    tree.open = false
})

/** The file at the upper edge of the window. */
function currentFile(): Element | null {
  const content = document.querySelector('.diff-main')?.getBoundingClientRect()
  if (!content) return null
  const x = content.left + content.width / 2
  // Below where a link to a file scrolls it to, and further down when a gap is there.
  for (const y of [64, 96])
    for (const element of document.elementsFromPoint(x, Math.max(y, content.top + 4)))
      if (element.classList.contains('diff-file')) return element
  return null
}

/** The line of a file, whose id is letters and digits. */
const lineOf = (id: string): HTMLElement | null =>
  tree?.querySelector<HTMLElement>(`.diff-list a[href$="#${id}"]`) ?? null

let marked: Element | null = null
function markCurrent(): void {
  const link = lineOf(anchorOf(currentFile()))
  if (!tree || link === marked) return
  marked?.removeAttribute('aria-current')
  marked = link
  if (!link) return
  link.setAttribute('aria-current', 'true')
  const [outer, inner] = [tree.getBoundingClientRect(), link.getBoundingClientRect()]
  if (inner.top < outer.top + 96 || inner.bottom > outer.bottom)
    tree.scrollTop += inner.top - (outer.top + outer.height / 2)
}

let due = 0
if (tree)
  addEventListener(
    'scroll',
    () => {
      if (!wide.matches) return
      cancelAnimationFrame(due)
      due = requestAnimationFrame(markCurrent)
    },
    { passive: true },
  )

/** Whether the page shows changes, so that `j` and `k` lead from file to file. */
export const hasFiles = (): boolean => document.querySelector('.diff-file') !== null

/**
 * Leads to the next or the previous file: from the one with the focus, else from the one on top. After
 * the last one it leads to the next part of the change, and before the first one to the part before.
 */
export function focusFile(step: 1 | -1): void {
  const files = [...document.querySelectorAll<HTMLElement>('.diff-file')]
  const top = document.querySelector('.diff-main')?.getBoundingClientRect().top ?? 0
  const from = document.activeElement?.closest('.diff-file') ?? (top > 96 ? null : currentFile())
  const at = files.indexOf(from as HTMLElement) + step
  if (from && !files[at]) {
    const part = step === 1 ? '#more-files a' : '.part-before a'
    return document.querySelector<HTMLAnchorElement>(part)?.click()
  }
  const next = files[Math.max(0, at)]
  next?.scrollIntoView({ block: 'start' })
  next?.querySelector('summary')?.focus({ preventScroll: true })
}

/** The files that are marked as viewed. Those of which several parts are shown count once. */
const viewedPaths = (parts: Iterable<Element>): Set<string> =>
  new Set(
    [...parts].flatMap((part) =>
      [...part.querySelectorAll<HTMLButtonElement>('.diff-tools [form=mark-unviewed]')].map(
        ({ value }) => value,
      ),
    ),
  )

const viewedCount = (): HTMLElement | null => document.querySelector('[data-viewed-count]')

/** Shows in the tree and above the changes that a file was viewed, or no more. */
export function markViewed(file: HTMLElement, viewed: boolean): void {
  lineOf(anchorOf(file))?.closest('li')?.classList.toggle('viewed', viewed)
  const button = file.querySelector('.diff-tools [name=path]')
  for (const other of document.querySelectorAll<HTMLElement>('.diff-file'))
    if (button && other !== file && other.dataset.path === file.dataset.path)
      other.querySelector('.diff-tools [name=path]')?.replaceWith(button.cloneNode(true))
  const count = viewedCount()
  if (!count) return
  // Files on other pages are counted by the server.
  const all = Number(count.dataset.viewedCount) + viewedPaths([document.body]).size
  count.textContent = (count.textContent ?? '').replace(/\d+/, String(all))
}

/** Files of another page have come into this one. */
export function countAppended(files: readonly Element[]): void {
  const count = viewedCount()
  if (!count) return
  const here = viewedPaths([document.body])
  const added = [...viewedPaths(files)].filter((path) => !here.has(path))
  count.dataset.viewedCount = String(Number(count.dataset.viewedCount) - added.length)
}

/** A file that is loaded alone does not know its place among the others. */
export function keepPlace(old: Element, fresh: Element): void {
  const place = old.querySelector('.file-place')?.textContent
  const there = fresh.querySelector('.file-place')
  if (place && there) there.textContent = place
}
