/**
 * Highlighting of source within a budget. The time of a grammar is not proportional to the length
 * of a text: 4,000 characters can take a second. So a thread highlights everything, one request after
 * the other. A text that exceeds its time is shown plain. Results are cached by blob or digest.
 *
 * The files of a page share a message to the thread, because waking a thread costs more than
 * highlighting a few lines.
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

/** The texts of one file. */
export type HighlightRequest = {
  readonly texts: readonly string[]
  readonly grammar: Grammar
}

/** A file that waits for a message to the thread. */
type WaitingFile = HighlightRequest &
  Pick<PromiseWithResolvers<readonly string[][]>, 'resolve' | 'reject'> & { readonly key: string }

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
/** At most this many messages wait; the texts of further ones are shown plain. */
const MAX_WAITING = 32
/** A message has at most this many characters, unless one file has more: about 0.1 s of work. */
const MAX_MESSAGE_LENGTH = 128 * 1024

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

/**
 * `late` when the highlighting is still being made and the lines are plain until then. `isPlain` when
 * they stay plain.
 */
export interface FileLines {
  readonly lines: readonly string[]
  readonly late: boolean
  readonly isPlain: boolean
}

class QueueFull extends Error {}

const lengthOf = ({ texts }: HighlightRequest): number =>
  texts.reduce((sum, text) => sum + text.length, 0)

function* messagesOf(files: readonly WaitingFile[]): Generator<WaitingFile[]> {
  let message: WaitingFile[] = []
  let length = 0
  for (const file of files) {
    if (message.length > 0 && length + lengthOf(file) > MAX_MESSAGE_LENGTH) {
      yield message
      message = []
      length = 0
    }
    message.push(file)
    length += lengthOf(file)
  }
  yield message
}

export class Highlighter {
  readonly #thread: WorkerRequests<readonly HighlightRequest[], string[][][]>
  /** Resolves when the thread has loaded its code; null before it starts. */
  #ready: Promise<unknown> | null = null
  readonly #pending = new Map<string, Promise<readonly string[][]>>()
  /** The files of each caller that were asked for in this turn of the event loop. */
  readonly #waiting = new Map<string, WaitingFile[]>()
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
      return { lines: escapeLines(text), late: false, isPlain: true }
    const key = `${source.oid}:${grammar}`
    const known = this.#lookup(key)
    if (known) return { lines: known[0] ?? [], late: false, isPlain: false }
    const pending = this.#highlight(key, { texts: [text], grammar }, caller)
    if (patience > 0) {
      await this.#ready?.catch(() => {})
      const done = await withTimeout(pending, patience, () => null)
      if (done) return { lines: done[0] ?? [], late: false, isPlain: false }
    }
    return { lines: escapeLines(text), late: true, isPlain: false }
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
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[][]>()
    const file = { ...request, key, resolve, reject }
    this.#pending.set(key, promise)
    // `file` waits for this. Whether it succeeds is asked by the message.
    this.#start().catch(() => {})
    const waiting = this.#waiting.get(caller)
    if (waiting) waiting.push(file)
    else {
      this.#waiting.set(caller, [file])
      queueMicrotask(() => this.#send(caller))
    }
    return promise
  }

  #send(caller: string): void {
    const files = this.#waiting.get(caller) ?? []
    this.#waiting.delete(caller)
    for (const message of messagesOf(files)) void this.#highlightByThread(message, caller)
  }

  /** Starts the thread. Loading its code does not count as time of a text. */
  #start(): Promise<unknown> {
    if (!this.#thread.isRunning) this.#ready = null
    return (this.#ready ??= this.#thread.request([], { timeoutMs: START_TIMEOUT_MS }))
  }

  async #highlightByThread(files: readonly WaitingFile[], caller: string): Promise<void> {
    let release: (() => void) | null = null
    try {
      release = await this.#turns.acquire({ caller })
      await this.#start()
      const results = await this.#thread.request(
        files.map(({ texts, grammar }) => ({ texts, grammar })),
        { maxCpuMs: this.maxCpuMs },
      )
      for (const [index, file] of files.entries())
        this.#finish(file, { texts: results[index] ?? [], expiresMs: null })
    } catch (error) {
      this.#fail(files, error, caller)
    } finally {
      release?.()
    }
  }

  #finish({ key, resolve }: WaitingFile, highlighted: Highlighted): void {
    this.known.set(key, highlighted)
    this.#pending.delete(key)
    resolve(highlighted.texts)
  }

  #fail(files: readonly WaitingFile[], error: unknown, caller: string): void {
    const isOfThread = error instanceof WorkerFailure
    if (isOfThread) this.#ready = null
    // One of the files may be the cause. Alone each of the others succeeds.
    if (isOfThread && files.length > 1) {
      for (const file of files) void this.#highlightByThread([file], caller)
      return
    }
    for (const file of files) {
      const texts = file.texts.map(escapeLines)
      if (isOfThread) {
        const retryMs = error instanceof WorkerOverrun ? OVERRUN_RETRY_MS : FAILURE_RETRY_MS
        this.#finish(file, { texts, expiresMs: performance.now() + retryMs })
        continue
      }
      this.#pending.delete(file.key)
      if (error instanceof QueueFull) file.resolve(texts)
      else file.reject(error)
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
