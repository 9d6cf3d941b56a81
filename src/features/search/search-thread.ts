/** The client of one search thread. It times calls out and restarts the thread after a failure. */
import { WorkerRequests } from '#lib/threads/worker-requests.ts'
import type { SearchRequest, ThreadOptions } from './search.worker.ts'

type AnyFunction = (db: never, ...args: never[]) => unknown
type Tail<F extends AnyFunction> = Parameters<F> extends [unknown, ...infer R] ? R : never

export class SearchThread<Functions extends Readonly<Record<string, AnyFunction>>> {
  readonly #requests: WorkerRequests<SearchRequest, unknown>

  constructor(options: ThreadOptions) {
    this.#requests = new WorkerRequests<SearchRequest, unknown>({
      code: 'features/search/search.worker',
      opening: { opening: options },
      closing: { name: 'close', args: [] },
      name: 'the search thread',
    })
  }

  /** The number of calls without a response. */
  get load(): number {
    return this.#requests.pending
  }

  /**
   * Calls a function on the thread. Throws WorkerFailure after `timeoutMs`, and terminates the
   * thread; the next call starts another one.
   */
  call<K extends keyof Functions & string>(
    name: K,
    args: Tail<Functions[K]>,
    options: { timeoutMs?: number } = {},
  ): Promise<ReturnType<Functions[K]>> {
    const request = { name, args: args as readonly unknown[] }
    return this.#requests.request(request, options) as Promise<ReturnType<Functions[K]>>
  }

  /** Waits for the running calls, closes the file and ends the thread. */
  close(): Promise<void> {
    return this.#requests.close()
  }
}
