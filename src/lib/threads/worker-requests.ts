/**
 * Requests to a worker thread, each with one response. The thread's side is `serveRequests`:
 *
 *     // sum.worker.ts
 *     serveRequests((numbers: number[]) => numbers.reduce((a, b) => a + b, 0))
 *
 *     // the caller
 *     const thread = new WorkerRequests<number[], number>({ code: 'sum.worker' })
 *     await thread.request([1, 2], { maxCpuMs: 1_000 })
 *     await thread.close()
 *
 * The thread starts with the first request, keeps the process alive only while requests are
 * pending, and is replaced after a failure.
 */
import { heapSize } from 'bun:jsc'
import { threadCpuMs, threadName } from './thread.ts'
import { SECOND } from '../time.ts'
import { WorkerThread } from './worker.ts'

/** With `maxCpuMs`, a request may take this many times as long while the thread gets no processor. */
const MAX_SLOWDOWN = 10
/** The processor time of a thread is known in steps of 10 ms. */
const MIN_CHECK_MS = 20

/**
 * Growth of a thread's heap after which its garbage is collected: about 20 ms of processor time. By
 * itself the collector waits longer, since it does not know of the other threads.
 */
const MAX_HEAP_GROWTH_BYTES = 32 << 20
/** A thread looks at its heap, which takes 0.2 ms, after so much work. */
const HEAP_CHECK_MS = 20
/** A thread with `endsWhenIdle` whose heap has grown so much ends after this without requests. */
const IDLE_MS = 10 * SECOND

type RequestMessage<Request> = { readonly id: number; readonly request: Request }
type ResponseMessage<Response> =
  | { readonly thread: string | null }
  /** The heap of the thread has grown by `MAX_HEAP_GROWTH_BYTES`. */
  | { readonly hasGrown: true }
  | { readonly id: number; readonly response: Response }
  | { readonly id: number; readonly error: string }

/** The thread ended, or did not respond in time, before the request was done. */
export class WorkerFailure extends Error {}

/** The request used more processor time than it may, so trying it again is of no use. */
export class WorkerOverrun extends WorkerFailure {}

type Pending<Response> = {
  readonly resolve: (response: Response) => void
  readonly reject: (error: Error) => void
  timer: ReturnType<typeof setTimeout> | null
}

/** Limits of one request. The thread is terminated when it exceeds them. */
export type RequestLimits = {
  /** Time. */
  readonly timeoutMs?: number
  /**
   * Processor time of the thread, so that a busy machine does not fail a request. It counts from
   * when the request is sent, so send one at a time. Where the system does not tell it, it is time.
   */
  readonly maxCpuMs?: number
}

export type WorkerRequestsOptions<Request> = {
  /** A path for `workerUrl`, or a function that returns the URL itself. */
  readonly code: string | (() => URL)
  /** The first request to each new thread. If it fails, so do all that are pending. */
  readonly opening?: Request
  /** Names the thread in errors: "the search thread". */
  readonly name?: string
  /**
   * Ends the thread when its heap has grown and no request comes for `idleMs`. What a thread has
   * taken from the system is given back only at its end. The next request starts another.
   */
  readonly endsWhenIdle?: boolean
  readonly idleMs?: number
}

export class WorkerRequests<Request, Response> {
  readonly #thread: WorkerThread<ResponseMessage<Response>, RequestMessage<Request>>
  readonly #pending = new Map<number, Pending<Response>>()
  readonly #name: string
  /** The name of the running thread in `/proc`; null before it is known. */
  #threadName: string | null = null
  #hasGrown = false
  #idleTimer: ReturnType<typeof setTimeout> | null = null
  #nextId = 1
  #isClosed = false

  constructor(private readonly options: WorkerRequestsOptions<Request>) {
    this.#name = options.name ?? 'the thread'
    this.#thread = new WorkerThread({
      code: options.code,
      onMessage: (message) => this.#settle(message),
      onFailure: (reason) => this.#fail(reason),
    })
  }

  /** Whether the next request finds a thread that has already begun to load its code. */
  get isRunning(): boolean {
    return this.#thread.isRunning
  }

  /** Requests without a response so far. */
  get pending(): number {
    return this.#pending.size
  }

  /**
   * Sends a request. Throws WorkerFailure when the thread ends before it responds, or when the
   * request exceeds its limits; then the thread is terminated with all other requests. Throws an
   * Error with the stack of what the thread's handler threw.
   */
  async request(request: Request, limits: RequestLimits = {}): Promise<Response> {
    if (this.#isClosed) throw new WorkerFailure(`${this.#name} is closed`)
    const { opening } = this.options
    if (!this.#thread.isRunning && opening !== undefined) {
      this.#send(opening).catch((error: unknown) => {
        if (!(error instanceof WorkerFailure)) this.#fail(String(error))
      })
    }
    return await this.#send(request, limits)
  }

  /** Sends a last request, if any, waits up to `timeoutMs` for the pending ones and ends. */
  async close(last?: Request, timeoutMs = 5_000): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    if (this.#thread.isRunning && last !== undefined)
      await this.#send(last, { timeoutMs }).catch(() => {})
    this.#fail(`${this.#name} is closed`)
  }

  #send(request: Request, { timeoutMs, maxCpuMs }: RequestLimits = {}): Promise<Response> {
    const id = this.#nextId++
    this.#stopIdleTimer()
    return new Promise((resolve, reject) => {
      const timer =
        timeoutMs === undefined
          ? null
          : setTimeout(() => this.#fail(`${this.#name} did not respond in time`), timeoutMs)
      const pending: Pending<Response> = { resolve, reject, timer }
      this.#pending.set(id, pending)
      if (maxCpuMs !== undefined) this.#limitCpu(pending, maxCpuMs)
      this.#thread.keepProcessAlive(true)
      try {
        this.#thread.post({ id, request })
      } catch (error) {
        // The thread cannot be created, or the request cannot be cloned.
        this.#remove(id)
        reject(error as Error)
      }
    })
  }

  #cpuMs(): number | null {
    return this.#threadName === null ? null : threadCpuMs(this.#threadName)
  }

  /** Ends the thread when a request has used its processor time. */
  #limitCpu(pending: Pending<Response>, maxCpuMs: number): void {
    const name = this.#threadName
    const startCpuMs = this.#cpuMs()
    const startedMs = performance.now()
    const check = (): void => {
      const cpuMs = name === this.#threadName ? this.#cpuMs() : null
      const usedMs = cpuMs === null || startCpuMs === null ? null : cpuMs - startCpuMs
      if (usedMs !== null && usedMs >= maxCpuMs)
        return this.#fail(new WorkerOverrun(`${this.#name} took too much time of the processor`))
      if (usedMs === null || performance.now() - startedMs >= maxCpuMs * MAX_SLOWDOWN)
        return this.#fail(`${this.#name} did not respond in time`)
      pending.timer = setTimeout(check, Math.max(MIN_CHECK_MS, maxCpuMs - usedMs))
    }
    pending.timer = setTimeout(check, maxCpuMs)
  }

  #settle(message: ResponseMessage<Response>): void {
    if ('thread' in message) {
      this.#threadName = message.thread
      return
    }
    if ('hasGrown' in message) {
      this.#hasGrown = true
      this.#endWhenIdle()
      return
    }
    const pending = this.#remove(message.id)
    if (!pending) return
    if ('error' in message) pending.reject(new Error(message.error))
    else pending.resolve(message.response)
  }

  #remove(id: number): Pending<Response> | null {
    const pending = this.#pending.get(id)
    if (!pending) return null
    this.#pending.delete(id)
    if (pending.timer !== null) clearTimeout(pending.timer)
    if (this.#pending.size === 0) {
      this.#thread.keepProcessAlive(false)
      this.#endWhenIdle()
    }
    return pending
  }

  #endWhenIdle(): void {
    const { endsWhenIdle = false, idleMs = IDLE_MS } = this.options
    this.#stopIdleTimer()
    if (!endsWhenIdle || !this.#hasGrown || this.#pending.size > 0) return
    this.#idleTimer = setTimeout(() => this.#end(), idleMs)
    this.#idleTimer.unref()
  }

  #stopIdleTimer(): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
  }

  #end(): void {
    this.#stopIdleTimer()
    this.#hasGrown = false
    this.#threadName = null
    this.#thread.terminate()
  }

  #fail(reason: string | WorkerFailure): void {
    this.#end()
    this.#rejectPending(reason)
  }

  #rejectPending(reason: string | WorkerFailure): void {
    const failure = typeof reason === 'string' ? new WorkerFailure(reason) : reason
    for (const id of [...this.#pending.keys()]) this.#remove(id)?.reject(failure)
  }
}

declare const self: {
  onmessage: ((event: MessageEvent) => void) | null
  postMessage(message: unknown): void
}

/** In a worker's file: handles requests one after the other and sends each response back. */
export function serveRequests<Request, Response>(handle: (request: Request) => Response): void {
  self.postMessage({ thread: threadName() })
  const collectGarbage = garbageCollector(() => self.postMessage({ hasGrown: true }))
  self.onmessage = ({ data: { id, request } }: MessageEvent<RequestMessage<Request>>) => {
    let message: ResponseMessage<Response>
    const startedMs = performance.now()
    try {
      message = { id, response: handle(request) }
    } catch (error) {
      message = { id, error: error instanceof Error ? (error.stack ?? error.message) : `${error}` }
    }
    self.postMessage(message)
    collectGarbage(performance.now() - startedMs)
  }
}

/** Collects the garbage of this thread when its heap has grown, and says so. */
function garbageCollector(onGrowth: () => void): (workedMs: number) => void {
  let startBytes = heapSize()
  let sinceMs = 0
  return (workedMs) => {
    sinceMs += workedMs
    if (sinceMs < HEAP_CHECK_MS) return
    sinceMs = 0
    const bytes = heapSize()
    startBytes = Math.min(startBytes, bytes)
    if (bytes - startBytes < MAX_HEAP_GROWTH_BYTES) return
    Bun.gc(true)
    startBytes = heapSize()
    onGrowth()
  }
}
