/**
 * Highlighting of source within a budget. The time of a grammar is not proportional to the length
 * of a text: 4,000 characters can take a second. So a thread highlights everything, one text after
 * the other. A text that exceeds its time is shown plain. Results are cached by blob or digest.
 */
import { cache, service } from '#core/service.ts'
import type { Cache } from '#lib/cache.ts'
import { sha256 } from '#lib/hash.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { MINUTE, SECOND } from '#lib/time.ts'
import { withTimeout } from '#lib/waiting.ts'
import { WorkerFailure, WorkerOverrun, WorkerRequests } from '#lib/threads/worker-requests.ts'
import { escapeLines, exceedsLimits, limits, normalizeLineEnds } from '../highlight.ts'
import type { Grammar } from './languages.ts'
import { grammarOfPath } from './names.ts'

/** Without a grammar the thread does nothing but load its code. */
export type HighlightRequest = {
  readonly texts: readonly string[]
  readonly grammar: Grammar | null
}

/** The lines of each text. `expiresMs` is null, or when texts that took too long are tried again. */
type Highlighted = { readonly texts: readonly string[][]; readonly expiresMs: number | null }

/** Larger files are shown plain. */
const FILE_LIMITS = { bytes: 1024 * 1024, lines: 20_000, lineLength: 5_000 } as const
/** A file of 1 MB takes about a second of processor time. The thread is replaced after this. */
const MAX_HIGHLIGHT_CPU_MS = 4_000
/** The thread loads its code, which does not count as time of a text. */
const START_TIMEOUT_MS = 30_000
/** A text that takes too much processor time is tried again after this. */
const OVERRUN_RETRY_MS = 10 * MINUTE
/** The same after another failure, such as a machine too busy to give the thread a processor. */
const FAILURE_RETRY_MS = 5 * SECOND
/** At most this many texts wait; further ones are shown plain. */
const MAX_WAITING = 32

/** A page waits this long for a file, by its length; the lines of a larger one come later. */
const SMALL = 4 * 1024
const SMALL_PATIENCE_MS = 250
const QUICK = 24 * 1024
const QUICK_PATIENCE_MS = 8

const patienceFor = (length: number): number =>
  length <= SMALL ? SMALL_PATIENCE_MS : length <= QUICK ? QUICK_PATIENCE_MS : 0

export interface HighlightSource {
  /** Identifies the content, such as the id of the blob. */
  readonly oid: string
  readonly path: string
  readonly text: string
}

/** `late` when the highlighting is still being made and the lines are plain until then. */
export interface FileLines {
  readonly lines: readonly string[]
  readonly late: boolean
}

class QueueFull extends Error {}

export class Highlighter {
  readonly #thread: WorkerRequests<HighlightRequest, string[][]>
  /** Resolves when the thread has loaded its code; null before it starts. */
  #ready: Promise<unknown> | null = null
  readonly #pending = new Map<string, Promise<readonly string[][]>>()
  readonly #turns = new FairSemaphore({
    limit: 1,
    maxWaiting: MAX_WAITING,
    fullError: () => new QueueFull(),
  })

  constructor(
    private readonly known: Cache<Highlighted>,
    private readonly maxCpuMs = MAX_HIGHLIGHT_CPU_MS,
    code: string | (() => URL) = 'highlight.worker',
  ) {
    this.#thread = new WorkerRequests({ code, name: 'the highlighting thread' })
  }

  /** The lines of a file of any size. They are plain when that takes longer than `patience` ms. */
  async file(
    source: HighlightSource,
    { patience = patienceFor(source.text.length), caller = '' } = {},
  ): Promise<FileLines> {
    const text = normalizeLineEnds(source.text)
    const grammar = grammarOfPath(source.path, text.slice(0, 200).split('\n', 1)[0])
    if (grammar === null || grammar === 'plaintext' || exceedsLimits(text, FILE_LIMITS))
      return { lines: escapeLines(text), late: false }
    const key = `${source.oid}:${grammar}`
    const known = this.#lookup(key)
    if (known) return { lines: known[0] ?? [], late: false }
    const pending = this.#highlight(key, { texts: [text], grammar }, caller)
    if (patience > 0) {
      await this.#ready?.catch(() => {})
      const done = await withTimeout(pending, patience, () => null)
      if (done) return { lines: done[0] ?? [], late: false }
    }
    return { lines: escapeLines(text), late: true }
  }

  /**
   * The lines of several texts of one language, such as the sides of the hunks of a file, at once if
   * they are known. A text above the limits of `highlight.ts` is plain.
   */
  texts(
    texts: readonly string[],
    grammar: Grammar | null,
    caller: string,
  ): readonly string[][] | Promise<readonly string[][]> {
    const clean = texts.map(normalizeLineEnds)
    const isLarge = clean.some((text) => exceedsLimits(text, limits))
    if (grammar === null || grammar === 'plaintext' || isLarge) return clean.map(escapeLines)
    const key = sha256(`${grammar}\n${JSON.stringify(clean)}`)
    return this.#lookup(key) ?? this.#highlight(key, { texts: clean, grammar }, caller)
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }

  #lookup(key: string): readonly string[][] | null {
    const known = this.known.get(key)
    if (!known || (known.expiresMs !== null && known.expiresMs < performance.now())) return null
    return known.texts
  }

  #highlight(key: string, request: HighlightRequest, caller: string): Promise<readonly string[][]> {
    const pending = this.#pending.get(key)
    if (pending) return pending
    if (!this.#thread.isRunning) this.#ready = null
    this.#ready ??= this.#thread.request(
      { texts: [], grammar: null },
      { timeoutMs: START_TIMEOUT_MS },
    )
    const highlighting = this.#highlightByThread(key, request, caller).finally(() =>
      this.#pending.delete(key),
    )
    this.#pending.set(key, highlighting)
    return highlighting
  }

  async #highlightByThread(
    key: string,
    request: HighlightRequest,
    caller: string,
  ): Promise<readonly string[][]> {
    let release: (() => void) | null = null
    try {
      release = await this.#turns.acquire({ caller })
      await this.#ready
      const texts = await this.#thread.request(request, { maxCpuMs: this.maxCpuMs })
      this.known.set(key, { texts, expiresMs: null })
      return texts
    } catch (error) {
      const texts = request.texts.map(escapeLines)
      if (error instanceof WorkerFailure) {
        const retryMs = error instanceof WorkerOverrun ? OVERRUN_RETRY_MS : FAILURE_RETRY_MS
        this.#ready = null
        this.known.set(key, { texts, expiresMs: performance.now() + retryMs })
      } else if (!(error instanceof QueueFull)) throw error
      return texts
    } finally {
      release?.()
    }
  }
}

const highlightedTexts = cache<Highlighted>('highlighted-files', {
  maxSize: 32 * 1024 * 1024,
  sizeOf: ({ texts }) =>
    texts.reduce(
      (sum, lines) => lines.reduce((size, line) => size + line.length * 2 + 16, sum + 64),
      64,
    ),
})

export const highlighter = service(
  'highlighter',
  (hearth) => new Highlighter(highlightedTexts(hearth)),
  { close: (value) => value.close() },
)
