/**
 * Serves small fetches on the calling thread, because waking another thread and passing messages
 * costs more than their work. Each fetch has a budget, and all of them share one. A fetch that
 * exceeds its budget is discarded and runs on a thread. Fetches that look large, and those of
 * stores with recent failures, go to a thread at once.
 */
import { GitError } from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { WorkBudget, BudgetExceeded } from '../store/work-budget.ts'
import type { Engine } from './engine.ts'
import { fetchTask } from './fetch.ts'
import type { OpenStore } from './open-store.ts'

/** A complete response, and whether it may be reused. */
export type SmallFetchResponse = { readonly bytes: Uint8Array; readonly isRepeatable: boolean }

/** Maximum bytes that a fetch may process, and may send. */
const MAX_WORK_BYTES = 4 << 20
const MAX_RESPONSE_BYTES = 1 << 18
/** Maximum lines of a request, refs of a namespace, and objects of a store. */
const MAX_REQUEST_LINES = 2000
const MAX_REFS = 5000
const MAX_STORE_OBJECTS = 100_000
/** Maximum objects of a store that may be cloned here. */
const MAX_CLONE_OBJECTS = 1000
/** Maximum commits in the table here. Larger histories are left to the threads. */
const MAX_CACHED_COMMITS = 100_000
/**
 * Share of the time for small fetches, and the number of fetches for which unused time is saved.
 */
const TIME_SHARE = 0.4
const MAX_SAVED_FETCHES = 3
/** Maximum number of fetches of a store that skip this path after repeated failures. */
const MAX_SKIPPED = 64
const MAX_FAILURE_RECORDS = 1000

type FailureRecord = { failures: number; skip: number }

export class SmallFetches {
  /** Milliseconds available, and when that was computed. */
  private savedMs: number
  private savedAtMs = performance.now()
  private readonly failures = new Map<string, FailureRecord>()

  /** `maxFetchMs` is the budget of one fetch; 0 disables this path. */
  constructor(
    private readonly engine: Engine,
    private readonly maxFetchMs: number,
  ) {
    this.savedMs = maxFetchMs * MAX_SAVED_FETCHES
  }

  /**
   * Returns the response, or null when a thread must serve the fetch. It never waits and reports no
   * GitError: the thread repeats the fetch and reports it.
   */
  tryFetch(store: string, request: FetchRequest, names: NamespaceTips): SmallFetchResponse | null {
    if (this.maxFetchMs <= 0 || !looksSmall(request, names) || !this.mayTry(store)) return null
    const began = performance.now()
    try {
      const answer = this.run(this.engine.store(store), request, names)
      if (answer !== null) this.failures.delete(store)
      else this.noteFailure(store)
      return answer
    } catch (error) {
      if (error instanceof BudgetExceeded) this.noteFailure(store)
      else if (!(error instanceof GitError)) throw error
      return null
    } finally {
      this.savedMs -= performance.now() - began
    }
  }

  private run(
    store: OpenStore,
    request: FetchRequest,
    names: NamespaceTips,
  ): SmallFetchResponse | null {
    const { reader } = store.objects
    const objects = store.objects.packs.reduce(
      (sum, pack) => sum + (pack.indexOrNull?.count ?? 0),
      0,
    )
    if (objects > MAX_STORE_OBJECTS || (isClone(request) && objects > MAX_CLONE_OBJECTS))
      return null
    if (store.commits.size > MAX_CACHED_COMMITS) store.clearCaches()
    const parts: Uint8Array[] = []
    let size = 0
    const budget = new WorkBudget({ timeMs: this.maxFetchMs, bytes: MAX_WORK_BYTES })
    reader.budget = budget
    const task = fetchTask(store, request, names)
    try {
      for (;;) {
        const step = task.next()
        if (step.done) {
          const [only] = parts
          return {
            bytes: parts.length === 1 && only ? only : Buffer.concat(parts),
            isRepeatable: step.value,
          }
        }
        if (typeof step.value !== 'string') {
          parts.push(step.value)
          size += step.value.length
          if (size > MAX_RESPONSE_BYTES) return null
        }
      }
    } finally {
      reader.budget = null
      task.return(false)
    }
  }

  /** Whether time is available and the store has no recent failures. */
  private mayTry(store: string): boolean {
    const now = performance.now()
    this.savedMs = Math.min(
      this.maxFetchMs * MAX_SAVED_FETCHES,
      this.savedMs + (now - this.savedAtMs) * TIME_SHARE,
    )
    this.savedAtMs = now
    if (this.savedMs < this.maxFetchMs) return false
    const record = this.failures.get(store)
    if (record === undefined || record.skip === 0) return true
    record.skip--
    return false
  }

  private noteFailure(store: string): void {
    const failures = (this.failures.get(store)?.failures ?? 0) + 1
    this.failures.delete(store)
    // The first failures may only have been cold caches.
    this.failures.set(store, {
      failures,
      skip: failures < 4 ? 0 : Math.min(MAX_SKIPPED, 2 ** (failures - 4)),
    })
    if (this.failures.size > MAX_FAILURE_RECORDS)
      for (const oldest of this.failures.keys()) return void this.failures.delete(oldest)
  }
}

/** Whether the client requests a full clone: it has nothing. */
export const isClone = ({ negotiation: talk }: FetchRequest): boolean =>
  talk.every((turn) => typeof turn === 'string')

const lineCount = (talk: FetchRequest['negotiation']): number =>
  talk.reduce((sum, turn) => sum + (typeof turn === 'string' ? 1 : turn.length / 20), 0)

function looksSmall(
  { wants, negotiation: talk, shallow, depth, deepenSince, deepenNot }: FetchRequest,
  { tips }: NamespaceTips,
): boolean {
  return (
    (wants.length + shallow.length) / 20 + lineCount(talk) <= MAX_REQUEST_LINES &&
    tips.length <= MAX_REFS * 20 &&
    depth === 0 &&
    deepenSince === null &&
    deepenNot.length === 0
  )
}
