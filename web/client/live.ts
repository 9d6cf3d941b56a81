// Live pages. The server sends new text as it is written, and an event when anything else of the
// page has changed; the page is then fetched and morphed.
import { announce } from './announce.ts'
import { fetchPage } from './dom.ts'
import { isSending, sendCount } from './in-place.ts'
import { loadWhenNear } from './load-parts.ts'
import { morph } from './morph.ts'
import { onNewParts, refreshParts } from './refresh.ts'

/** Before the next try when the page could not be fetched. */
const RETRY_MS = 10_000
/** Between an update and the next subscription, so that a burst of changes is one update. */
const PAUSE_MS = 500

/** The subscription of one part of the page to its event stream. */
class LiveSubscription {
  #source: EventSource | null = null
  #address: string | undefined
  #lastEventId = ''
  #isUpdating = false

  constructor(private readonly part: HTMLElement) {
    // Browsers allow six connections to a site with HTTP/1.1, so hidden windows close theirs.
    document.addEventListener('visibilitychange', () =>
      document.hidden ? this.close() : this.open(),
    )
    addEventListener('pagehide', () => this.close())
    addEventListener('pageshow', () => this.open())
  }

  open(): void {
    const address = this.part.dataset.live
    // A form has shown a newer page, which the stream must go on from.
    if (this.#source && address !== this.#address) {
      this.close()
      this.#lastEventId = ''
    }
    if (this.#source || this.#isUpdating || document.hidden || !address) return
    this.#address = address
    const url = new URL(address, location.href)
    if (this.#lastEventId) url.searchParams.set('after', this.#lastEventId)
    this.#source = new EventSource(url)
    this.#source.addEventListener('text', (event) => this.#append(event))
    this.#source.addEventListener('changed', () => void this.#update())
    this.#source.addEventListener('error', () => this.#reopenRefused())
  }

  close(): void {
    this.#source?.close()
    this.#source = null
  }

  /** A browser tries again by itself when the connection breaks, but not when the server refuses it. */
  #reopenRefused(): void {
    if (this.#source?.readyState !== EventSource.CLOSED) return
    this.close()
    setTimeout(() => this.open(), RETRY_MS)
  }

  #append({ data, lastEventId }: MessageEvent<string>): void {
    this.#lastEventId = lastEventId
    const { id, text } = JSON.parse(data) as { id: string; text: string }
    const log = document.getElementById(id)
    if (!log) return
    const wasAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40
    log.append(text)
    if (wasAtEnd) log.scrollTop = log.scrollHeight
  }

  async #update(): Promise<void> {
    this.close()
    this.#isUpdating = true
    const { part } = this
    const sends = sendCount()
    const fresh = isSending()
      ? null
      : (await fetchPage(location.pathname + location.search))?.getElementById(part.id)
    // The page of a form that was sent meanwhile may be newer than this one, or older than the event.
    if (isSending() || sends !== sendCount())
      return void setTimeout(() => void this.#update(), PAUSE_MS)
    if (!fresh) return this.#openIn(RETRY_MS)
    const root = document.documentElement
    const wasAtEnd =
      part.dataset.tail !== undefined && innerHeight + scrollY > root.scrollHeight - 40
    const { said } = part.dataset
    keepMessage(part, fresh)
    morph(part, fresh)
    refreshParts()
    if (part.dataset.said !== said) announce(part.dataset.said ?? '')
    scrollLogsToEnd(part)
    loadWhenNear(part)
    if (wasAtEnd) scrollTo(0, root.scrollHeight)
    this.#lastEventId = ''
    this.#openIn(PAUSE_MS)
  }

  #openIn(wait_ms: number): void {
    setTimeout(() => {
      this.#isUpdating = false
      this.open()
    }, wait_ms)
  }
}

const MESSAGE = ':scope > .notice:is([role=status], [role=alert])'

/** A page has the message about what was just done only once, so an update keeps the one that is shown. */
function keepMessage(part: HTMLElement, fresh: HTMLElement): void {
  const message = part.querySelector(MESSAGE)
  if (message && !fresh.querySelector(MESSAGE)) fresh.prepend(message.cloneNode(true))
}

const scrollLogsToEnd = (part: ParentNode): void => {
  for (const log of part.querySelectorAll('.check-log')) log.scrollTop = log.scrollHeight
}

scrollLogsToEnd(document)

const subscriptions = new WeakMap<Element, LiveSubscription>()

/**
 * Follows all live parts of the page. A part that has come to its end has no stream until a form
 * begins it again.
 */
function followParts(): void {
  for (const part of document.querySelectorAll<HTMLElement>('[data-live]')) {
    const subscription = subscriptions.get(part) ?? new LiveSubscription(part)
    subscriptions.set(part, subscription)
    subscription.open()
  }
}
followParts()
onNewParts(followParts)
