// Keyboard shortcuts. `data-hotkey` of a link or field holds the keys that lead to it; `?` lists
// them. `data-row-key` holds a key that works while its row has the focus.
import { focusFile, hasFiles } from './change-tree.ts'
import { isEditable } from './dom.ts'
import { closeMenus } from './menus.ts'
import { showShortcuts } from './shortcut-list.ts'
import { t } from './texts.ts'

/** The keys of a sequence such as `g i` follow each other within this time. */
const SEQUENCE_MS = 1_200

/** Moves the focus to the title of the next or previous row of the lists. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('.row')].flatMap(
    (row) => row.querySelector<HTMLElement>('.row-link') ?? [],
  )
  const current = rows.findIndex((link) => link.closest('.row')?.contains(document.activeElement))
  const first = step === 1 ? 0 : rows.length - 1
  rows[current === -1 ? first : Math.min(rows.length - 1, Math.max(0, current + step))]?.focus()
}

/** Handles the keys that are the same on every page. */
function pressFixedKey(event: KeyboardEvent): boolean {
  if (event.key === '?') {
    event.preventDefault()
    showShortcuts()
  } else if (event.key === 'l' && document.querySelector('.code')) {
    const line = Number(prompt(t('Go to line')))
    if (Number.isInteger(line) && line > 0) location.hash = `#L${line}`
  } else if (event.key === 'j' || event.key === 'k')
    (hasFiles() ? focusFile : focusRow)(event.key === 'j' ? 1 : -1)
  else return false
  return true
}

/** The element that a key or a sequence of two keys leads to. Sequences come first. */
function findTarget(key: string, sequence: string): HTMLElement | undefined {
  const targets = [...document.querySelectorAll<HTMLElement>('[data-hotkey]')]
  const row = document.activeElement?.closest('.row')
  const inRow = [...(row?.querySelectorAll<HTMLElement>('[data-row-key]') ?? [])]
  return (
    targets.find((element) => element.dataset.hotkey === sequence) ??
    [...inRow, ...targets].find(
      (element) => (element.dataset.rowKey ?? element.dataset.hotkey) === key,
    )
  )
}

let lastKey = ''
let lastKeyAt = 0
function pressHotkey(event: KeyboardEvent): void {
  const now = Date.now()
  const sequence = now - lastKeyAt < SEQUENCE_MS ? `${lastKey} ${event.key}` : ''
  lastKey = event.key
  lastKeyAt = now
  const target = findTarget(event.key, sequence)
  if (!target) return
  event.preventDefault()
  lastKey = ''
  if (isEditable(target)) {
    target.focus()
    if (target instanceof HTMLInputElement) target.select()
  } else target.click()
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return closeMenus()
  const hasModifier = event.ctrlKey || event.metaKey
  if (event.key === 'Enter' && hasModifier && event.target instanceof HTMLTextAreaElement) {
    event.preventDefault()
    event.target.form?.requestSubmit()
    return
  }
  if (
    hasModifier ||
    event.altKey ||
    event.isComposing ||
    // The element itself, which may be inside the shadow root of the code editor.
    isEditable(event.composedPath()[0] ?? null) ||
    document.querySelector('dialog[open]')
  )
    return
  if (!pressFixedKey(event)) pressHotkey(event)
})
