/**
 * The states of live pages. All readers of the same page with the same rights share one computation,
 * whatever their number, and one page is computed at most once a second.
 */
import type { Caller } from '#core/caller.ts'
import { service } from '#core/service.ts'
import { FairSemaphore } from '#lib/semaphore.ts'
import { SECOND } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import { currentLocale } from './locale.ts'

/** Between two computations of the same page, so that a burst of events costs one. */
const MIN_INTERVAL_MS = SECOND
/** Computations at once; the others wait, and requests of pages go between them. */
const MAX_CONCURRENT = 2

/** One reader's way to compute a state. The signal aborts when the reader has left. */
export type ComputeState = {
  readonly compute: () => Promise<string>
  readonly signal: AbortSignal
}

type Subject = {
  /** When the last computation began, as `performance.now()` tells the time. */
  startedMs: number
  /** The computation that has not begun yet. Whoever joins it sees everything until now. */
  next: { readonly readers: ComputeState[]; readonly state: Promise<string> } | null
  readers: number
}

/** What a state may depend on: page, language, and all that is known of the caller but the sign-in. */
export function subjectKey({ pathname, searchParams }: URL, caller: Caller): string {
  // What a reader has seen of the page is compared with the state; it does not change it.
  const parameters = [...searchParams].filter(([name]) => name !== 'state')
  const viewer = caller.kind === 'user' ? { ...caller, sign_in: null } : caller
  return JSON.stringify([pathname, parameters, viewer, currentLocale()])
}

export class LiveStates {
  readonly #subjects = new Map<string, Subject>()
  readonly #turns = new FairSemaphore({
    limit: MAX_CONCURRENT,
    maxPerCaller: 1,
    maxWaiting: Infinity,
    fullError: () => new Error('too many live pages'),
  })

  constructor(private readonly minIntervalMs = MIN_INTERVAL_MS) {}

  /** Subscribes a reader. The returned function ends that. */
  join(key: string): () => void {
    const subject = this.#subjects.get(key) ?? { startedMs: -Infinity, next: null, readers: 0 }
    subject.readers++
    this.#subjects.set(key, subject)
    return () => {
      if (--subject.readers === 0) this.#subjects.delete(key)
    }
  }

  /** Readers of one subject at present. */
  readersOf(key: string): number {
    return this.#subjects.get(key)?.readers ?? 0
  }

  /** The state of a subject that the reader has joined, computed after this call. */
  state(key: string, reader: ComputeState): Promise<string> {
    const subject = this.#subjects.get(key)
    if (!subject) throw new TypeError(`nobody follows ${key}`)
    if (subject.next) {
      subject.next.readers.push(reader)
      return subject.next.state
    }
    const readers = [reader]
    const state = this.#run(key, subject, readers)
    subject.next = { readers, state }
    return state
  }

  async #run(key: string, subject: Subject, readers: readonly ComputeState[]): Promise<string> {
    const waitMs = Math.max(0, subject.startedMs + this.minIntervalMs - performance.now())
    await Bun.sleep(waitMs)
    const release = await this.#turns.acquire({ caller: key })
    // A computation that waits for nothing would be followed by the next one in the same turn of
    // the event loop, and one event would hold it for all readers.
    await nextTurn()
    subject.startedMs = performance.now()
    subject.next = null
    try {
      return await computeForAll(readers)
    } finally {
      release()
    }
  }
}

/** Computes with the rights of the first reader that stays until the end. */
async function computeForAll(readers: readonly ComputeState[]): Promise<string> {
  let failure: unknown = null
  for (const { compute, signal } of readers) {
    if (signal.aborted) continue
    try {
      return await compute()
    } catch (error) {
      failure = error
      if (!signal.aborted) break
    }
  }
  if (failure !== null) throw failure
  // All have left, so nobody reads this.
  return ''
}

export const liveStates = service('live-states', () => new LiveStates())
