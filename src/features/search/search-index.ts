/** The search index of one forge. Its threads start when first needed and end with the forge. */
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { WorkerFailure } from '#lib/threads/worker-requests.ts'
import { join } from 'node:path'
import type { ExploreRequest } from './explore.ts'
import { SEARCH_TYPES, type SearchType } from './query.ts'
import type { FindRequest, FindResult } from './find-request.ts'
import type { ReaderFunctions, WriterFunctions } from './search.worker.ts'
import { databasePath } from './store-marks.ts'
import { SearchThread } from './search-thread.ts'

/** Concurrent searches. Others queue at the thread with the shortest queue. */
const READERS = Math.min(2, Math.max(1, navigator.hardwareConcurrency))
/** Time that a thread may take beyond the search budget before it is terminated. */
const CALL_GRACE_MS = 1_500

export class SearchIndex {
  readonly writer: SearchThread<WriterFunctions>
  readonly #readers: SearchThread<ReaderFunctions>[]
  /** Whether the index contains everything that the forge had when its file was created. */
  #complete: Promise<boolean> | null = null
  /** Whether an update is running. */
  working = false
  /** Branches being indexed. Two concurrent runs on one branch would undo each other's state. */
  readonly branches = new Set<string>()

  constructor(hearth: Hearth) {
    const paths = { index: join(hearth.settings.data, 'search.db'), forge: databasePath(hearth.db) }
    this.writer = new SearchThread<WriterFunctions>({ ...paths, writes: true })
    this.#readers = Array.from(
      { length: READERS },
      () => new SearchThread<ReaderFunctions>({ ...paths, writes: false }),
    )
  }

  /** Opens or creates the file. Returns whether it is complete. */
  opened(): Promise<boolean> {
    this.#complete ??= this.writer.call('isComplete', []).catch((error: unknown) => {
      this.#complete = null
      throw error
    })
    return this.#complete
  }

  becameComplete(): void {
    this.#complete = Promise.resolve(true)
  }

  /** The reader with the shortest queue. A thread starts only when all others are busy. */
  #reader(): SearchThread<ReaderFunctions> {
    return this.#readers.reduce((best, other) => (other.load < best.load ? other : best))
  }

  /** Runs one search. A search that takes too long returns nothing, with `incomplete`. */
  async find(request: FindRequest): Promise<FindResult> {
    await this.opened()
    const reader = this.#reader()
    try {
      return await reader.call('find', [request], {
        timeoutMs: (reader.load + 1) * (request.budgetMs + CALL_GRACE_MS),
      })
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error
      return emptyResult(request.type)
    }
  }

  async explore(request: ExploreRequest): Promise<ReturnType<ReaderFunctions['explore']>> {
    await this.opened()
    return this.#reader().call('explore', [request])
  }

  async close(): Promise<void> {
    await Promise.all([this.writer.close(), ...this.#readers.map((reader) => reader.close())])
  }
}

function emptyResult(type: SearchType): FindResult {
  const counts = Object.fromEntries(SEARCH_TYPES.map((one) => [one, 0])) as Record<
    SearchType,
    number
  >
  const hits =
    type === 'code' || type === 'wiki'
      ? { type, files: [] }
      : type === 'issues' || type === 'pulls'
        ? { type, records: [] }
        : { type, ids: [] }
  return { counts, hits, best: [], incomplete: true }
}

/** The search index of a forge. Throws a TypeError when the forge is closed. */
export const searchIndex = service('search index', (hearth) => new SearchIndex(hearth), {
  close: (index) => index.close(),
})
