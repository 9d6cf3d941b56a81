// Line numbers that are pressed: the address names the line. In a file a shift-click selects a range (`#L3-L9`).
import { closestTo, isPlainClick } from './dom.ts'
import { openPart } from './open-part.ts'

const parseRange = (hash: string): [number, number] | null => {
  const match = /^#L(\d+)(?:-L(\d+))?$/.exec(hash)
  if (!match) return null
  const ends = [Number(match[1]), Number(match[2] ?? match[1])] as const
  return [Math.min(...ends), Math.max(...ends)]
}

/** Loads the part of a long file that has a line which this page lacks, or the source of a document. */
function openPartOf(line: number): void {
  const lines = Number(document.querySelector<HTMLElement>('[data-lines]')?.dataset.lines)
  if (!(line >= 1 && line <= lines) || document.getElementById(`L${line}`)) return
  openPart('from', String(line))
}

/** Marks the lines that the address names. */
export const markRange = (options: { scroll: boolean }): void => {
  for (const row of document.querySelectorAll('.code .lit')) row.classList.remove('lit')
  const range = parseRange(location.hash)
  if (!range) return
  openPartOf(range[0])
  // The browser marks a single line, unless it was replaced since.
  if (range[0] === range[1] && document.querySelector('.code :target')) return
  for (let line = range[0]; line <= range[1]; line++)
    document.getElementById(`L${line}`)?.classList.add('lit')
  if (options.scroll) document.getElementById(`L${range[0]}`)?.scrollIntoView({ block: 'center' })
}

/** The line whose number was pressed. Numbers of a list are no elements: they are its padding. */
function pressedLine(event: MouseEvent): number | null {
  const number = closestTo<HTMLElement>(event, '.code-blame td:nth-child(2)')
  if (number) return Number(number.textContent)
  const line = closestTo<HTMLElement>(event, '.lines > li')
  if (!line) return null
  const { left } = line.getBoundingClientRect()
  const gutter = Number.parseFloat(getComputedStyle(line).paddingLeft)
  return event.clientX - left < gutter ? Number(line.id.slice(1)) : null
}

/**
 * Changes the address without scrolling: the line is in view, and gets the style of its target. After a
 * press Chromium scrolls once more in the next frame.
 */
function nameLine(id: string): void {
  const { scrollX, scrollY } = window
  const restore = (): void => scrollTo(scrollX, scrollY)
  location.hash = `#${id}`
  restore()
  requestAnimationFrame(() => requestAnimationFrame(restore))
}

let lastLine = Number(/^#L(\d+)/.exec(location.hash)?.[1] ?? 0)
document.addEventListener('click', (event) => {
  const changed = closestTo<HTMLElement>(event, '.diff-table td[id]')
  if (changed) {
    if (!isPlainClick(event)) return
    event.preventDefault()
    return nameLine(changed.id)
  }
  const line = pressedLine(event)
  if (line === null) return
  if (event.shiftKey && lastLine > 0) {
    event.preventDefault()
    history.replaceState(null, '', `#L${Math.min(lastLine, line)}-L${Math.max(lastLine, line)}`)
    markRange({ scroll: false })
    return
  }
  lastLine = line
  nameLine(`L${line}`)
})
addEventListener('hashchange', () => markRange({ scroll: true }))
markRange({ scroll: true })

// The permanent link keeps the selected lines.
document.addEventListener(
  'click',
  (event) => {
    const link = closestTo<HTMLAnchorElement>(event, 'a[data-hotkey=y]')
    if (link) link.hash = location.hash
  },
  true,
)
