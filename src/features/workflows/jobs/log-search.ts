/** Finds lines of logs by an expression (RE2), in a thread with a budget. */
import { service } from '#core/service.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { WorkerFailure, WorkerRequests } from '#lib/threads/worker-requests.ts'

export type SearchRequest = { readonly expression: string; readonly lines: readonly string[] }
/** The indexes of the lines that match, or what is wrong with the expression. */
export type SearchResponse =
  | { readonly found: readonly number[]; readonly cpuMs: number }
  | { readonly fault: string }

/** Of the processor, for all pages of one search. */
const MAX_CPU_MS = 3_000
/** Searches that run or wait. */
const MAX_SEARCHES = 8

const tooMany = () =>
  new Refusal('unavailable', 'too many searches wait already; try again in a moment', {
    reason: 'concurrency',
    headers: { 'retry-after': '5' },
  })

const oneAtATime = () =>
  new Refusal('rate_limited', 'you search a log already: wait until that search has ended', {
    reason: 'concurrency',
    headers: { 'retry-after': '3' },
  })

/** Finds the indexes of lines that match; null when the time of the search has ended. */
export type FindLines = (lines: readonly string[]) => Promise<readonly number[] | null>

export type Searcher = { readonly caller: string; readonly signal: AbortSignal }

class LogSearch {
  readonly #thread = new WorkerRequests<SearchRequest, SearchResponse>({
    code: 'features/workflows/jobs/log-search.worker',
    name: 'the thread that searches logs',
  })
  // One at a time, because the budget counts from when a request is sent.
  readonly #turns = new FairSemaphore({
    limit: 1,
    maxWaiting: MAX_SEARCHES - 1,
    fullError: tooMany,
  })
  readonly #callers = new Set<string>()

  /**
   * Runs a search of any number of pages in its turn. `find` throws 422 for an expression that is
   * wrong, or that takes too long for one page. Throws 429 when the caller searches already, and
   * 503 when too many wait.
   */
  async run<T>(
    expression: string,
    { caller, signal }: Searcher,
    search: (find: FindLines) => Promise<T>,
  ): Promise<T> {
    if (this.#callers.has(caller)) throw oneAtATime()
    this.#callers.add(caller)
    try {
      const release = await this.#turns.acquire({ caller, signal })
      try {
        return await search(this.#finder(expression, signal))
      } finally {
        release()
      }
    } finally {
      this.#callers.delete(caller)
    }
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  #finder(expression: string, signal: AbortSignal): FindLines {
    let usedMs = 0
    let isFirst = true
    return async (lines) => {
      signal.throwIfAborted()
      if (usedMs >= MAX_CPU_MS) return null
      const response = await this.#request({ expression, lines }, MAX_CPU_MS - usedMs)
      if (response === null && !isFirst) return null
      if (response === null)
        throw invalid('grep', 'the expression takes too long: choose a simpler one')
      if ('fault' in response) throw invalid('grep', `the expression ${response.fault}`)
      isFirst = false
      usedMs += response.cpuMs
      return response.found
    }
  }

  /** Null when it takes too long. */
  async #request(request: SearchRequest, maxCpuMs: number): Promise<SearchResponse | null> {
    try {
      return await this.#thread.request(request, { maxCpuMs })
    } catch (error) {
      if (error instanceof WorkerFailure) return null
      throw error
    }
  }
}

export const logSearch = service('search in logs', () => new LogSearch(), {
  close: (search) => search.close(),
})
