/** The state of one thread of the engine: open stores, memory for reading, and settings. */
import { rmSync } from 'node:fs'
import { lazy } from '#lib/lazy.ts'
import { EntryReader } from '../store/entry-reader.ts'
import { storeDirectory } from '../store/store-files.ts'
import { createMemoryCells, MemoryBudget, type MemoryCells } from './memory-budget.ts'
import { OpenStore } from './open-store.ts'
import { TableMemory } from './table-memory.ts'

/** Settings with defaults filled in, as plain values that can be sent to workers. */
export type EngineSettings = {
  readonly root: string
  readonly tmp: string
  readonly memoryBudget: number
  readonly maxPackBytes: number
  readonly maxObjectBytes: number
  readonly maxObjects: number
  /** Bytes of the arena of inflated objects of this thread. */
  readonly arenaBytes: number
  /** The part of `memoryBudget` that tasks reserve, in all threads together. */
  readonly taskMemoryBytes: number
  /** The part of `taskMemoryBytes` for the tables of one round of maintenance. */
  readonly maxTableBytes: number
}

/** Minimum of the read limit, so that objects pushed under a higher limit stay readable. */
const MIN_READ_LIMIT_BYTES = 1 << 30

/** Maximum number of stores that a thread keeps open. */
const MAX_OPEN_STORES = 64

export class Engine {
  readonly memory: MemoryBudget
  /** Created with the first store, because the self-test of its inflater takes milliseconds. */
  private readonly reader: () => EntryReader
  private readonly open = new Map<string, OpenStore>()

  /** `cells` are shared by the threads of a pool; `thread` is the number of this one. */
  constructor(
    readonly settings: EngineSettings,
    cells: MemoryCells = createMemoryCells(1),
    thread = 0,
  ) {
    this.memory = new MemoryBudget(cells, settings.taskMemoryBytes, thread)
    const maxReadBytes = Math.max(settings.maxObjectBytes, MIN_READ_LIMIT_BYTES)
    const limits = { memory: this.memory, tmp: settings.tmp }
    this.reader = lazy(() => new EntryReader(settings.arenaBytes, maxReadBytes, limits))
  }

  /**
   * Opens a store. Throws GitError `invalid` for a bad name and `missing` when there is no such
   * store.
   */
  store(name: string): OpenStore {
    const existing = this.open.get(name)
    if (existing) {
      this.open.delete(name)
      this.open.set(name, existing)
      return existing
    }
    const opened = new OpenStore(storeDirectory(this.settings.root, name), this.reader())
    this.open.set(name, opened)
    this.trim(name)
    return opened
  }

  /**
   * Opens a store for one task, which closes it. Its tables are bounded on the heap, whatever the
   * size of the store (`TableMemory`), and no other task waits for the memory of this one.
   */
  openBounded(name: string): { readonly store: OpenStore; readonly tables: TableMemory } {
    const { root, tmp, maxTableBytes } = this.settings
    const tables = new TableMemory(this.memory, tmp, maxTableBytes)
    return { store: new OpenStore(storeDirectory(root, name), this.reader(), tables), tables }
  }

  /**
   * Closes the least recently used stores while there are too many or they hold too much memory.
   */
  private trim(keep: string): void {
    let heldBytes = 0
    for (const store of this.open.values()) heldBytes += store.heldBytes
    for (const [name, store] of this.open) {
      if (this.open.size <= MAX_OPEN_STORES && heldBytes <= this.settings.memoryBudget / 4) return
      if (name === keep || store.objects.isPinned) continue
      heldBytes -= store.heldBytes
      store.close()
      this.open.delete(name)
    }
  }

  /** Releases the memory of the object that was read last. Required before other tasks run. */
  releaseView(): void {
    if (this.open.size > 0) this.reader().releaseView()
  }

  directory(name: string): string {
    return storeDirectory(this.settings.root, name)
  }

  /** Closes a store's files. Its directory may have been removed. */
  forget(name: string): void {
    this.open.get(name)?.close()
    this.open.delete(name)
  }

  /** Lists the packs of a store again, if it is open. */
  refresh(name: string): void {
    this.open.get(name)?.objects.forceRefresh()
  }

  close(): void {
    for (const store of this.open.values()) store.close()
    this.open.clear()
  }
}

export function removeQuietly(path: string): void {
  rmSync(path, { force: true })
}
