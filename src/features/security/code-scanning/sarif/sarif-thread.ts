/** The thread that reads uploads, with a budget of processor time for each request. */
import { service } from '#core/service.ts'
import { invalid, Refusal } from '#lib/errors.ts'
import { FairWorker } from '#lib/threads/fair-worker.ts'
import { WorkerOverrun } from '#lib/threads/worker-requests.ts'
import type { SarifRun } from './read-sarif.ts'

export type LineRequest = { readonly line: number; readonly offset: number | null }

export type SarifRequest =
  | { readonly kind: 'count'; readonly bytes: Uint8Array }
  | { readonly kind: 'run'; readonly file: string; readonly index: number }
  | { readonly kind: 'lines'; readonly data: Uint8Array; readonly lines: readonly LineRequest[] }

export type HashedLine = { readonly line: number; readonly hash: string | null }

export type SarifResponse =
  | { readonly count: number; readonly run?: SarifRun }
  | { readonly lines: readonly HashedLine[] }
  | { readonly fault: string }

/** A file of 100 MiB takes about 2 s to read. */
const MAX_CPU_MS = 20_000
const MAX_WAITING = 32

const tooMany = (): Refusal =>
  new Refusal('unavailable', 'too many uploads wait already; try again in a moment', {
    reason: 'concurrency',
    headers: { 'retry-after': '10' },
  })

class SarifThread {
  readonly #thread = new FairWorker<SarifRequest, SarifResponse>({
    code: 'features/security/code-scanning/sarif/sarif.worker',
    name: 'the thread that reads SARIF',
    maxCpuMs: MAX_CPU_MS,
    maxWaiting: MAX_WAITING,
    fullError: tooMany,
  })

  /** How many runs a file has. Throws 422 for a file that is not taken. */
  async countRuns(caller: string, bytes: Uint8Array, signal: AbortSignal): Promise<number> {
    const response = await this.#request(caller, { kind: 'count', bytes }, signal)
    if ('fault' in response) throw invalid('sarif', `sarif ${response.fault}`)
    if (!('count' in response)) throw new TypeError('the thread answered something else')
    return response.count
  }

  /** One run of a stored file, and how many there are. Throws 422 as `countRuns` does. */
  async readRun(
    caller: string,
    file: string,
    index: number,
  ): Promise<{ count: number; run: SarifRun }> {
    const response = await this.#request(caller, { kind: 'run', file, index })
    if ('fault' in response) throw invalid('sarif', `sarif ${response.fault}`)
    if (!('run' in response) || !response.run)
      throw new TypeError('the thread answered something else')
    return { count: response.count, run: response.run }
  }

  /** The lines of one file with their hashes, in the order of the request. */
  async hashLines(
    caller: string,
    data: Uint8Array,
    lines: readonly LineRequest[],
  ): Promise<readonly HashedLine[]> {
    const response = await this.#request(caller, { kind: 'lines', data, lines })
    if (!('lines' in response)) throw new TypeError('the thread answered something else')
    return response.lines
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #request(
    caller: string,
    request: SarifRequest,
    signal?: AbortSignal,
  ): Promise<SarifResponse> {
    try {
      return await this.#thread.request(caller, request, signal)
    } catch (error) {
      if (error instanceof WorkerOverrun) return { fault: 'takes too long to read' }
      throw error
    }
  }
}

export const sarifThread = service('reading of SARIF', () => new SarifThread(), {
  close: (thread) => thread.close(),
})
