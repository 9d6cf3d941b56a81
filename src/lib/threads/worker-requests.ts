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
 * pending, ends when none comes for a while, and is replaced after a failure.
 */
import { garbageCollector } from './garbage.ts'
import { IdleTimer } from './idle-timer.ts'
import { threadCpuMs, threadName } from './thread.ts'
import { WorkerThread } from './worker.ts'

/** With `maxCpuMs`, a request may take this many times as long while the thread gets no processor. */
const MAX_SLOWDOWN = 10
/** The processor time of a thread is known in steps of 10 ms. */
const MIN_CHECK_MS = 20

const CLOSE_TIMEOUT_MS = 5_000

type RequestMessage<Request> = {
  readonly id: number
  readonly request: Request
  /** The thread ends itself after this request, and sends no response. */
  readonly isLast?: true
}
type ResponseMessage<Response> =
  | { readonly thread: string | null }
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
  /** The last request to each thread that ends because it is idle or closed. */
  readonly closing?: Request
  /** How long the thread stays without requests. */
  readonly idleMs?: number
}

export class WorkerRequests<Request, Response> {
  readonly #thread: WorkerThread<ResponseMessage<Response>, RequestMessage<Request>>
  readonly #pending = new Map<number, Pending<Response>>()
  readonly #name: string
  /**
   * The running thread in `/proc`, with its processor time when it had loaded its code. Undefined
   * before that, null where the system does not tell.
   */
  #process: { readonly name: string; readonly loadedCpuMs: number } | null | undefined
  readonly #idleTimer: IdleTimer
  #nextId = 1
  #isClosed = false

  constructor(private readonly options: WorkerRequestsOptions<Request>) {
    this.#name = options.name ?? 'the thread'
    this.#thread = new WorkerThread({
      code: options.code,
      onMessage: (message) => this.#settle(message),
      onFailure: (reason) => this.#fail(reason),
    })
    this.#idleTimer = new IdleTimer({ end: () => this.#retire(), idleMs: options.idleMs })
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

  /**
   * Ends the thread. With `closing`, waits up to five seconds for it and for what is pending;
   * without, pending requests fail.
   */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const { closing } = this.options
    if (this.#thread.isRunning && closing !== undefined)
      await this.#send(closing, { timeoutMs: CLOSE_TIMEOUT_MS }).catch(() => {})
    this.#fail(`${this.#name} is closed`)
  }

  #send(request: Request, { timeoutMs, maxCpuMs }: RequestLimits = {}): Promise<Response> {
    const id = this.#nextId++
    this.#idleTimer.stop()
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

  /** The processor time of the running thread; null when it is not known. */
  #cpuMs(): number | null {
    return this.#process ? threadCpuMs(this.#process.name) : null
  }

  /** Ends the thread when a request has used its processor time. */
  #limitCpu(pending: Pending<Response>, maxCpuMs: number): void {
    const startCpuMs = this.#cpuMs()
    const startedMs = performance.now()
    const check = (): void => {
      const cpuMs = this.#cpuMs()
      // What a new thread takes to load its code does not count.
      const sinceCpuMs = startCpuMs ?? this.#process?.loadedCpuMs ?? 0
      const usedMs = cpuMs === null ? null : cpuMs - sinceCpuMs
      if (usedMs !== null && usedMs >= maxCpuMs)
        return this.#fail(new WorkerOverrun(`${this.#name} took too much time of the processor`))
      const isUnknown = usedMs === null && this.#process !== undefined
      if (isUnknown || performance.now() - startedMs >= maxCpuMs * MAX_SLOWDOWN)
        return this.#fail(`${this.#name} did not respond in time`)
      pending.timer = setTimeout(check, Math.max(MIN_CHECK_MS, maxCpuMs - (usedMs ?? 0)))
    }
    pending.timer = setTimeout(check, maxCpuMs)
  }

  #settle(message: ResponseMessage<Response>): void {
    if ('thread' in message) {
      const name = message.thread
      const loadedCpuMs = name === null ? null : threadCpuMs(name)
      this.#process = name === null || loadedCpuMs === null ? null : { name, loadedCpuMs }
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
      this.#idleTimer.start()
    }
    return pending
  }

  /** Lets the idle thread end; the next request starts another. */
  #retire(): void {
    const { closing } = this.options
    this.#process = undefined
    if (closing === undefined) this.#thread.terminate()
    else this.#thread.retire({ id: 0, request: closing, isLast: true })
  }

  #end(): void {
    this.#idleTimer.stop()
    this.#process = undefined
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
  close(): void
  onmessage: ((event: MessageEvent) => void) | null
  postMessage(message: unknown): void
}

/** In a worker's file: handles requests one after the other and sends each response back. */
export function serveRequests<Request, Response>(handle: (request: Request) => Response): void {
  self.postMessage({ thread: threadName() })
  const collectGarbage = garbageCollector()
  self.onmessage = ({ data }: MessageEvent<RequestMessage<Request>>) => {
    const { id, request, isLast } = data
    if (isLast) {
      try {
        handle(request)
      } finally {
        self.close()
      }
      return
    }
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
