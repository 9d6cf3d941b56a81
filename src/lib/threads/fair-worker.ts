/**
 * A worker thread that many callers share. It takes one request at a time, because the budget of
 * processor time counts from when a request is sent, and callers take turns (`FairSemaphore`), so
 * one with many slow requests does not keep the thread from the others.
 */
import { FairSemaphore } from '../semaphore.ts'
import { WorkerRequests, type WorkerRequestsOptions } from './worker-requests.ts'

export type FairWorkerOptions<Request> = WorkerRequestsOptions<Request> & {
  /** Processor time of one request. */
  readonly maxCpuMs: number
  /** Requests beyond this number that wait are rejected with `fullError()`. */
  readonly maxWaiting: number
  readonly fullError: () => Error
}

export class FairWorker<Request, Response> {
  readonly #thread: WorkerRequests<Request, Response>
  readonly #turns: FairSemaphore
  readonly #maxCpuMs: number

  constructor({ maxCpuMs, maxWaiting, fullError, ...options }: FairWorkerOptions<Request>) {
    this.#thread = new WorkerRequests(options)
    this.#turns = new FairSemaphore({ limit: 1, maxWaiting, fullError })
    this.#maxCpuMs = maxCpuMs
  }

  /** Throws `fullError()`, the reason of an aborted signal, WorkerOverrun and WorkerFailure. */
  async request(
    caller: string,
    request: Request,
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const release = await this.#turns.acquire({ caller, signal })
    try {
      return await this.#thread.request(request, { maxCpuMs: this.#maxCpuMs })
    } finally {
      release()
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }
}
