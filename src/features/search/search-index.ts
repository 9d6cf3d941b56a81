/**
 * The index of one forge: its threads, made when they are first needed, and ended with the forge.
 */
import type { Hearth } from '#core/hearth.ts'
import { join } from 'node:path'
import type { ExploreRequest } from './explore.ts'
import { SEARCH_TYPES, type SearchType } from './query.ts'
import type { FindRequest, Found } from './request.ts'
import type { Reading, Writing } from './search.worker.ts'
import { databaseFile } from './store.ts'
import { SearchThread, ThreadEnded } from './thread.ts'

/** Searches that run at once; others wait for the one with the shortest line. */
const READERS = Math.min(2, Math.max(1, navigator.hardwareConcurrency))
/** What a thread may take beyond the budget of its search before it is given up. */
const GRACE_MS = 1_500

export class SearchIndex {
  readonly writer: SearchThread<Writing>
  readonly #readers: SearchThread<Reading>[]
  /** Whether the index holds all that the forge had when it was made. */
  #complete: Promise<boolean> | null = null
  /** Whether somebody works on the index now. */
  working = false
  /** Branches that somebody takes in now: two at one would undo each other's marks. */
  readonly branches = new Set<string>()

  constructor(hearth: Hearth) {
    const place = { index: join(hearth.settings.data, 'search.db'), forge: databaseFile(hearth.db) }
    this.writer = new SearchThread<Writing>({ ...place, writes: true })
    this.#readers = Array.from(
      { length: READERS },
      () => new SearchThread<Reading>({ ...place, writes: false }),
    )
  }

  /** Opens or makes the file, and gives whether it is complete. */
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

  /**
   * The thread with the shortest line; one that is not there yet is made only when the others have
   * work.
   */
  #reader(): SearchThread<Reading> {
    return this.#readers.reduce((best, other) => (other.load < best.load ? other : best))
  }

  /** One search. What takes too long is answered with nothing and `incomplete`. */
  async find(request: FindRequest): Promise<Found> {
    await this.opened()
    const reader = this.#reader()
    try {
      return await reader.call('find', [request], {
        patience: (reader.load + 1) * (request.budget + GRACE_MS),
      })
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error
      return nothing(request.type)
    }
  }

  async explore(request: ExploreRequest): Promise<ReturnType<Reading['explore']>> {
    await this.opened()
    return this.#reader().call('explore', [request])
  }

  async close(): Promise<void> {
    await Promise.all([this.writer.close(), ...this.#readers.map((reader) => reader.close())])
  }
}

function nothing(type: SearchType): Found {
  const counts = Object.fromEntries(SEARCH_TYPES.map((one) => [one, 0])) as Record<
    SearchType,
    number
  >
  const hits =
    type === 'code'
      ? { type, files: [] }
      : type === 'issues' || type === 'pulls'
        ? { type, records: [] }
        : { type, ids: [] }
  return { counts, hits, incomplete: true }
}

/** By the database, which is one however the forge is handed around. */
const open = new WeakMap<Hearth['database'], SearchIndex>()

/** The index of a forge; gives an error once the forge is closing. */
export function searchIndex(hearth: Hearth): SearchIndex {
  const known = open.get(hearth.database)
  if (known) return known
  if (hearth.stopping.aborted) throw new ThreadEnded('the forge is stopping')
  const index = new SearchIndex(hearth)
  open.set(hearth.database, index)
  hearth.onClose(() => index.close())
  return index
}
