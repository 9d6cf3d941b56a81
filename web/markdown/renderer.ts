/**
 * Rendering of Markdown that users wrote, within a budget. A thread renders one document after the
 * other. A document that exceeds its time is shown as it was typed. Results are cached by a digest
 * of the text, the options and the reader's language, so that views of a page do not render again.
 */
import { cache, service } from '#core/service.ts'
import type { Cache } from '#lib/cache.ts'
import { sha256 } from '#lib/hash.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { WorkerFailure, WorkerOverrun, WorkerRequests } from '#lib/threads/worker-requests.ts'
import { currentLocale, type Locale } from '../locale.ts'
import { plainMarkdown, renderMarkdown, type MarkdownOptions } from '../markdown.ts'
import { divideDocument, type RenderedDocument } from './parts.ts'

/** The words that the site adds to a document, such as the titles of alerts, are in `locale`. */
export type MarkdownRequest = {
  readonly text: string
  readonly options: MarkdownOptions
  readonly locale: Locale
}

/** `expiresMs` is null, or when a document that exceeded its time is tried again. */
type Rendered = { readonly document: RenderedDocument; readonly expiresMs: number | null }

/** A document of 1 MB takes about 0.3 s of processor time. The thread is replaced after this. */
const MAX_RENDER_CPU_MS = 2_000
/** The thread loads its code, which does not count as time of a document. */
const START_TIMEOUT_MS = 30_000
/** A document that takes too much processor time is tried again after this. */
const OVERRUN_RETRY_MS = 10 * MINUTE
/** The same after another failure, such as a machine too busy to give the thread a processor. */
const FAILURE_RETRY_MS = 5 * SECOND

/** Documents that wait for the thread. Further ones are shown plain. */
const MAX_WAITING = 64

/** Shorter texts render at once: the worst of them takes less than 2 ms, a thread about 0.2 ms. */
const MAX_INLINE_LENGTH = 512
/**
 * Code blocks are highlighted, whose time is not proportional to their length; HTML; and formulas,
 * whose code only the thread loads.
 */
const NEEDS_THREAD = /```|~~~|<|\$/

const NOTHING: MarkdownRequest = { text: '', options: {}, locale: 'en' }

class QueueFull extends Error {}

const keyOf = (text: string, options: MarkdownOptions): string =>
  sha256(`${currentLocale()}\n${JSON.stringify(options)}\n${text}`)

export class MarkdownRenderer {
  readonly #thread: WorkerRequests<MarkdownRequest, RenderedDocument>
  /** Resolves when the thread has loaded its code; null before it starts. */
  #ready: Promise<unknown> | null = null
  readonly #pending = new Map<string, Promise<RenderedDocument>>()
  /** The callers take turns, so that one with many documents does not delay the others. */
  readonly #turns = new FairSemaphore({
    limit: 1,
    maxWaiting: MAX_WAITING,
    fullError: () => new QueueFull(),
  })

  constructor(
    private readonly documents: Cache<Rendered>,
    private readonly maxCpuMs = MAX_RENDER_CPU_MS,
    code: string | (() => URL) = 'markdown.worker',
  ) {
    this.#thread = new WorkerRequests({ code, name: 'the Markdown thread' })
  }

  /** The document if it is cached or the text is short; null when it must be rendered by the thread. */
  renderNow(text: string, options: MarkdownOptions): RenderedDocument | null {
    const key = keyOf(text, options)
    const known = this.#lookup(key)
    if (known !== null) return known
    if (text.length > MAX_INLINE_LENGTH || NEEDS_THREAD.test(text)) return null
    const document = divideDocument(renderMarkdown(text, options))
    this.documents.set(key, { document, expiresMs: null })
    return document
  }

  /** Renders by the thread. Resolves to the text as it was typed when the budget is exceeded. */
  render(text: string, options: MarkdownOptions, caller: string): Promise<RenderedDocument> {
    const key = keyOf(text, options)
    const known = this.#lookup(key)
    if (known !== null) return Promise.resolve(known)
    const pending = this.#pending.get(key)
    if (pending) return pending
    const rendering = this.#renderByThread(
      key,
      { text, options, locale: currentLocale() },
      caller,
    ).finally(() => this.#pending.delete(key))
    this.#pending.set(key, rendering)
    return rendering
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  #lookup(key: string): RenderedDocument | null {
    const known = this.documents.get(key)
    if (!known || (known.expiresMs !== null && known.expiresMs < performance.now())) return null
    return known.document
  }

  async #renderByThread(
    key: string,
    request: MarkdownRequest,
    caller: string,
  ): Promise<RenderedDocument> {
    let release: (() => void) | null = null
    try {
      release = await this.#turns.acquire({ caller })
      if (!this.#thread.isRunning) this.#ready = null
      await (this.#ready ??= this.#thread.request(NOTHING, { timeoutMs: START_TIMEOUT_MS }))
      const document = await this.#thread.request(request, { maxCpuMs: this.maxCpuMs })
      this.documents.set(key, { document, expiresMs: null })
      return document
    } catch (error) {
      const document = divideDocument(plainMarkdown(request.text))
      if (error instanceof WorkerFailure) {
        const retryMs = error instanceof WorkerOverrun ? OVERRUN_RETRY_MS : FAILURE_RETRY_MS
        this.#ready = null
        this.documents.set(key, { document, expiresMs: performance.now() + retryMs })
      } else if (!(error instanceof QueueFull)) throw error
      return document
    } finally {
      release?.()
    }
  }
}

/** What a part and a heading take in memory, on average. */
const RANGE_BYTES = 256
const HEADING_BYTES = 256

const renderedMarkdown = cache<Rendered>('rendered-markdown', {
  maxSize: 32 * 1024 * 1024,
  sizeOf: ({ document: { html, ranges, contents } }) =>
    html.length * 2 + ranges.length * RANGE_BYTES + contents.length * HEADING_BYTES,
})

export const markdownRenderer = service(
  'markdown',
  (hearth) => new MarkdownRenderer(renderedMarkdown(hearth)),
  { close: (renderer) => renderer.close() },
)
