/**
 * Small fetches are answered on the calling thread: what they send is made in less time than it
 * takes to wake another thread and to hand the question and the answer over. Each has a bound, and
 * so have all of them together; what turns out to be larger is thrown away and goes to a thread,
 * and so does at once what looks large, or a store where that happened lately.
 */
import { GitError } from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { Meter, Spent } from '../store/meter.ts'
import type { Engine } from './engine.ts'
import { fetchTask } from './fetch.ts'
import type { OpenStore } from './open-store.ts'

/** A whole answer, and whether it can be given again. */
export type SmallAnswer = { readonly bytes: Uint8Array; readonly again: boolean }

/** Bytes that one may work on, and bytes that it may send. */
const MOST_WORK = 4 << 20
const MOST_SENT = 1 << 18
/** Lines of a request, refs of a namespace, and objects of a store that are looked at. */
const MOST_LINES = 2000
const MOST_REFS = 5000
const MOST_OBJECTS = 100_000
/** A store with so few objects is sent whole, to whoever has nothing. */
const TINY = 1000
/** Commits that are kept in mind here; more belong to the threads. */
const MOST_COMMITS = 100_000
/** Of the time, this share at most goes to small fetches; it is saved up for so many of them. */
const SHARE = 0.4
const SAVED = 3
/**
 * After as many failures in a row, so many times as many fetches of a store go to a thread at once.
 */
const MOST_PASSED = 64
const MOST_STORES = 1000

type Record = { failures: number; pass: number }

export class SmallFetches {
  /** Milliseconds that may be used now, and when that was reckoned. */
  private saved: number
  private at = performance.now()
  private readonly records = new Map<string, Record>()

  /** `milliseconds` are for one fetch; with 0 none is answered here. */
  constructor(
    private readonly engine: Engine,
    private readonly milliseconds: number,
  ) {
    this.saved = milliseconds * SAVED
  }

  /**
   * The answer, or null where a thread has to make it. It never waits, and gives no error: a thread
   * will say what is wrong.
   */
  make(store: string, request: FetchRequest, names: NamespaceTips): SmallAnswer | null {
    if (this.milliseconds <= 0 || !looksSmall(request, names) || !this.mayTry(store)) return null
    const began = performance.now()
    try {
      const answer = this.run(this.engine.store(store), request, names)
      if (answer !== null) this.records.delete(store)
      else this.noteFailure(store)
      return answer
    } catch (error) {
      if (error instanceof Spent) this.noteFailure(store)
      else if (!(error instanceof GitError)) throw error
      return null
    } finally {
      this.saved -= performance.now() - began
    }
  }

  private run(store: OpenStore, request: FetchRequest, names: NamespaceTips): SmallAnswer | null {
    const { reader } = store.objects
    const objects = store.objects.packs.reduce(
      (sum, pack) => sum + (pack.indexIfThere?.count ?? 0),
      0,
    )
    if (objects > MOST_OBJECTS || (isCopy(request) && objects > TINY)) return null
    if (store.commits.size > MOST_COMMITS) store.forget()
    const parts: Uint8Array[] = []
    let size = 0
    const meter = new Meter({ milliseconds: this.milliseconds, bytes: MOST_WORK })
    reader.meter = meter
    const task = fetchTask(store, request, names)
    try {
      for (;;) {
        const step = task.next()
        if (step.done) {
          const [only] = parts
          return {
            bytes: parts.length === 1 && only ? only : Buffer.concat(parts),
            again: step.value,
          }
        }
        if (typeof step.value !== 'string') {
          parts.push(step.value)
          size += step.value.length
          if (size > MOST_SENT) return null
        }
      }
    } finally {
      reader.meter = null
      task.return(false)
    }
  }

  /** Whether there is time for one, and no reason to think that it would not suffice. */
  private mayTry(store: string): boolean {
    const now = performance.now()
    this.saved = Math.min(this.milliseconds * SAVED, this.saved + (now - this.at) * SHARE)
    this.at = now
    if (this.saved < this.milliseconds) return false
    const record = this.records.get(store)
    if (record === undefined || record.pass === 0) return true
    record.pass--
    return false
  }

  private noteFailure(store: string): void {
    const failures = (this.records.get(store)?.failures ?? 0) + 1
    this.records.delete(store)
    // The first times may only have lacked what is known now.
    this.records.set(store, {
      failures,
      pass: failures < 4 ? 0 : Math.min(MOST_PASSED, 2 ** (failures - 4)),
    })
    if (this.records.size > MOST_STORES)
      for (const oldest of this.records.keys()) return void this.records.delete(oldest)
  }
}

/** Whether it asks for everything: by somebody who has nothing. */
export const isCopy = ({ talk }: FetchRequest): boolean =>
  talk.every((turn) => typeof turn === 'string')

function looksSmall(
  { wants, talk, shallow, depth, deepenSince, deepenNot }: FetchRequest,
  { tips }: NamespaceTips,
): boolean {
  return (
    wants.length + talk.length + shallow.length <= MOST_LINES &&
    tips.length <= MOST_REFS * 20 &&
    depth === 0 &&
    deepenSince === null &&
    deepenNot.length === 0
  )
}
