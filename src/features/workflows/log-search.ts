/** Finds lines of logs by an expression (RE2), in a thread with a budget. */
import { service } from '#core/service.ts'
import { invalid } from '#lib/errors.ts'
import { WorkerFailure, WorkerRequests } from '#lib/worker-requests.ts'

export type SearchRequest = { readonly expression: string; readonly lines: readonly string[] }
/** The indexes of the lines that match, or what is wrong with the expression. */
export type SearchResponse = { readonly found: readonly number[] } | { readonly fault: string }

/** Of the processor, for one page of a log: at most 1,000 lines. */
const MAX_CPU_MS = 3_000

class LogSearch {
  readonly #thread = new WorkerRequests<SearchRequest, SearchResponse>({
    code: 'features/workflows/log-search.worker',
    name: 'the thread that searches logs',
  })
  #last: Promise<unknown> = Promise.resolve()

  /** The indexes of lines that match. Throws 422 for an expression that is wrong or takes too long. */
  find(expression: string, lines: readonly string[]): Promise<readonly number[]> {
    // One at a time, because the budget counts from when a request is sent.
    const finding = this.#last.then(() => this.#findNow(expression, lines))
    this.#last = finding.catch(() => {})
    return finding
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #findNow(expression: string, lines: readonly string[]): Promise<readonly number[]> {
    const limits = { maxCpuMs: MAX_CPU_MS }
    const response = await this.#thread
      .request({ expression, lines }, limits)
      .catch((error: unknown) => {
        if (!(error instanceof WorkerFailure)) throw error
        throw invalid('grep', 'the expression takes too long: choose a simpler one')
      })
    if ('fault' in response) throw invalid('grep', `the expression ${response.fault}`)
    return response.found
  }
}

export const logSearch = service('search in logs', () => new LogSearch(), {
  close: (search) => search.close(),
})
