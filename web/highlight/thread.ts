/** The thread that highlights files, one after the other, each within a time limit. */
import { FairSemaphore } from '#lib/semaphore.ts'
import { SECOND } from '#lib/time.ts'
import { WorkerFailure, WorkerRequests } from '#lib/worker-requests.ts'
import type { Grammar } from './languages.ts'

export type HighlightRequest = { readonly text: string; readonly grammar: Grammar }

/** A file of 1 MB takes about half a second. Some texts make a grammar take far longer. */
const TIMEOUT_MS = 5 * SECOND
/** The thread loads all grammars, which does not count as time of a file. */
const START_TIMEOUT_MS = 30 * SECOND
/** Further files are shown plain. */
const MAX_WAITING = 32

const NOTHING: HighlightRequest = { text: '', grammar: 'plaintext' }

class QueueFull extends Error {}

/** `late` is a file that exceeded its time, `full` one that found the queue full. */
export type Highlighting = { readonly lines: string[] } | { readonly failure: 'late' | 'full' }

export class HighlightThread {
  readonly #thread: WorkerRequests<HighlightRequest, string[]>
  /** Resolves when the thread has loaded its code; null before it starts. */
  #ready: Promise<unknown> | null = null
  /** The callers take turns, so that one with many files does not delay the others. */
  readonly #turns = new FairSemaphore({
    limit: 1,
    maxWaiting: MAX_WAITING,
    fullError: () => new QueueFull(),
  })

  constructor(
    private readonly timeoutMs = TIMEOUT_MS,
    code: string | (() => URL) = 'highlight.worker',
  ) {
    this.#thread = new WorkerRequests({ code, name: 'the highlight thread' })
  }

  /** `caller` is whom the work counts for: an id or a network address. */
  async highlight(request: HighlightRequest, caller: string): Promise<Highlighting> {
    let release: (() => void) | null = null
    try {
      release = await this.#turns.acquire({ caller })
      await (this.#ready ??= this.#thread.request(NOTHING, { timeoutMs: START_TIMEOUT_MS }))
      return { lines: await this.#thread.request(request, { timeoutMs: this.timeoutMs }) }
    } catch (error) {
      if (error instanceof QueueFull) return { failure: 'full' }
      if (!(error instanceof WorkerFailure)) throw error
      this.#ready = null
      return { failure: 'late' }
    } finally {
      release?.()
    }
  }

  async close(): Promise<void> {
    await this.#thread.close(undefined, 0)
  }
}
