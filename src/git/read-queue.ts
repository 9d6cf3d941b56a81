/**
 * Reads that walk history (log, blame, diff, …). They run on threads, are shared out fairly among
 * principals, and are cancelled at the deadline of the principal that they run for.
 */
import type { FairSemaphore } from '#lib/semaphore.ts'
import { GitError, type Principal } from './ports.ts'
import type { ThreadPool } from './tasks/thread-pool.ts'
import { workSemaphore } from './work-semaphore.ts'

/** Reads that one thread has begun at once. It takes turns between them. */
const READS_PER_THREAD = 8

/** Work that the host does on its own account, such as jobs. */
export const SYSTEM: Principal = { id: '', deadlineMs: null }

/** Aborts its signal with GitError `late` at a time of `performance.now()`. */
class Deadline {
  readonly #controller = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>

  constructor(deadlineMs: number) {
    const leftMs = deadlineMs - performance.now()
    if (leftMs <= 0) this.#pass()
    this.#timer = setTimeout(() => this.#pass(), Math.max(0, leftMs))
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  clear(): void {
    clearTimeout(this.#timer)
  }

  #pass(): void {
    this.#controller.abort(new GitError('late', 'this took too long and was given up'))
  }
}

export class ReadQueue {
  /**
   * A thread divides its time among the reads that it has begun, so a long read does not delay a
   * short one. One principal gets at most half of the permits.
   */
  readonly #permits: FairSemaphore
  /** Reads for the host itself leave one thread to the reads that a user waits for. */
  readonly #backgroundPermits: FairSemaphore

  constructor(
    private readonly threads: ThreadPool,
    workers: number,
    private readonly currentPrincipal: () => Principal | null,
  ) {
    const limit = Math.max(1, workers) * READS_PER_THREAD
    this.#permits = workSemaphore(limit, Math.max(1, Math.floor(limit / 2)))
    this.#backgroundPermits = workSemaphore(Math.max(1, workers - 1), Infinity)
  }

  get load(): { readonly running: number; readonly waiting: number } {
    return { running: this.#permits.running, waiting: this.#permits.waiting }
  }

  /**
   * Runs a task of the registry for the current principal. Throws GitError `late` when its deadline
   * passes, and `busy` when too many reads wait.
   */
  async run<R>(task: string, store: string, args: readonly unknown[]): Promise<R> {
    const { id, deadlineMs } = this.currentPrincipal() ?? SYSTEM
    const deadline = deadlineMs === null ? null : new Deadline(deadlineMs)
    const releaseBackground =
      id === SYSTEM.id
        ? await this.#backgroundPermits.acquire({ caller: store, resource: store })
        : null
    try {
      const signal = deadline?.signal
      const release = await this.#permits.acquire({ caller: id, resource: store, signal })
      try {
        const handle = this.threads.start<R>(task, { store, args }, () => {})
        signal?.addEventListener('abort', () => handle.cancel(), { once: true })
        return await handle.result
      } finally {
        release()
      }
    } catch (error) {
      throw deadline?.signal.aborted ? deadline.signal.reason : error
    } finally {
      deadline?.clear()
      releaseBackground?.()
    }
  }
}
