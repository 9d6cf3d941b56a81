// Draws the Mermaid diagrams of documents near the window. Each has a frame of its own, which has no
// origin (HTML, `sandbox`) and no network: it gets the source in a message, and returns the height of
// its drawing. Until then, and when it fails, the source is shown.
import { createElement } from './dom.ts'
import { t } from './texts.ts'

/** A further diagram stays source: each frame costs the browser about 15 MB of memory. */
const MAX_DIAGRAMS = 30
const MAX_SOURCE_LENGTH = 50_000
/** Higher diagrams scroll in their frame. */
const MAX_HEIGHT = 2_000
const TIMEOUT_MS = 20_000

type Answer = { readonly height?: unknown; readonly error?: unknown }

const darkScheme = matchMedia('(prefers-color-scheme: dark)')

const sourceOf = (figure: Element): string => figure.querySelector('pre')?.textContent ?? ''

/** Whether `old` shows or makes the drawing of the diagram that `fresh` describes. */
export const isDrawnDiagram = (old: Node, fresh: Node): boolean =>
  old instanceof HTMLElement &&
  old.matches('.diagram:has(> iframe)') &&
  fresh instanceof HTMLElement &&
  sourceOf(old) === sourceOf(fresh)

class Diagram {
  readonly #frame: HTMLIFrameElement
  readonly #timer: ReturnType<typeof setTimeout>

  constructor(private readonly figure: HTMLElement) {
    this.#frame = createElement('iframe', {
      src: figure.dataset.diagram ?? '',
      sandbox: 'allow-scripts',
      title: t('Diagram'),
      class: 'diagram-frame',
    })
    this.#frame.addEventListener('load', () => this.#send())
    addEventListener('message', this.#receive)
    darkScheme.addEventListener('change', () => this.#send())
    this.#timer = setTimeout(() => this.#giveUp(t('It takes too long to draw.')), TIMEOUT_MS)
    figure.prepend(this.#frame)
  }

  #send(): void {
    const { colorScheme } = getComputedStyle(document.documentElement)
    const dark = colorScheme === 'dark' || (colorScheme !== 'light' && darkScheme.matches)
    // The frame has no origin that could be named.
    this.#frame.contentWindow?.postMessage({ source: sourceOf(this.figure), dark }, '*')
  }

  readonly #receive = ({ source, data }: MessageEvent<Answer>): void => {
    if (source === null || source !== this.#frame.contentWindow) return
    if (typeof data.error === 'string') return this.#giveUp(data.error)
    if (typeof data.height !== 'number' || !(data.height > 0)) return
    clearTimeout(this.#timer)
    this.#frame.style.height = `${Math.min(Math.ceil(data.height), MAX_HEIGHT)}px`
    if (this.figure.classList.contains('is-drawn')) return
    this.figure.classList.add('is-drawn')
    const details = this.figure.querySelector('details')
    if (details) details.open = false
  }

  /** Shows the source with the reason. */
  #giveUp(reason: string): void {
    clearTimeout(this.#timer)
    removeEventListener('message', this.#receive)
    this.#frame.remove()
    const note = createElement('p', { class: 'diagram-error', role: 'status' })
    note.textContent = t('This diagram could not be drawn. {reason}', {
      reason: reason.slice(0, 300),
    })
    this.figure.prepend(note)
  }
}

/** A diagram whose page changed is drawn again when its source is another one now. */
const hasBegun = (figure: Element): boolean =>
  figure.querySelector(':scope > iframe, :scope > .diagram-error') !== null

let count = 0

const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue
      observer.unobserve(target)
      if (hasBegun(target) || count >= MAX_DIAGRAMS) continue
      if (sourceOf(target).length > MAX_SOURCE_LENGTH) continue
      count++
      new Diagram(target)
    }
  },
  { rootMargin: '400px' },
)

/** Draws further diagrams that have come into the page. */
export const watchDiagrams = (): void => {
  for (const figure of document.querySelectorAll('[data-diagram]')) observer.observe(figure)
}
watchDiagrams()
