/** What one thread of the engine holds: open stores, memory for reading, and the settings. */
import { rmSync } from 'node:fs'
import { EntryReader } from '../store/entry-reader.ts'
import { storeDirectory } from '../store/files.ts'
import { OpenStore } from './open-store.ts'

/** Settings with their defaults filled in; plain values, so that workers get them as they are. */
export type EngineSettings = {
  readonly root: string
  readonly tmp: string
  readonly memoryBudget: number
  readonly maxPackBytes: number
  readonly maxObjectBytes: number
  readonly maxObjects: number
  /** Bytes of the arena of inflated objects of this thread. */
  readonly arenaBytes: number
}

/** What was let in when the limit was higher can still be read. */
const MOST_READ = 1 << 30

/** Stores that a thread keeps open at once. */
const MAX_OPEN = 64

export class Engine {
  readonly reader: EntryReader
  private readonly open = new Map<string, OpenStore>()

  constructor(readonly settings: EngineSettings) {
    this.reader = new EntryReader(settings.arenaBytes, Math.max(settings.maxObjectBytes, MOST_READ))
  }

  /** Throws GitError `invalid` for a bad name, `missing` when there is no such store. */
  store(name: string): OpenStore {
    const have = this.open.get(name)
    if (have) {
      this.open.delete(name)
      this.open.set(name, have)
      return have
    }
    const made = new OpenStore(storeDirectory(this.settings.root, name), this.reader)
    this.open.set(name, made)
    this.trim(name)
    return made
  }

  /**
   * Closes the stores that were used least lately while there are too many, or too much is held for
   * them.
   */
  private trim(keep: string): void {
    let weight = 0
    for (const store of this.open.values()) weight += store.weight
    for (const [name, store] of this.open) {
      if (this.open.size <= MAX_OPEN && weight <= this.settings.memoryBudget / 4) return
      if (name === keep || store.objects.pinned) continue
      weight -= store.weight
      store.close()
      this.open.delete(name)
    }
  }

  directory(name: string): string {
    return storeDirectory(this.settings.root, name)
  }

  /** Closes a store's files; its directory may be gone. */
  forget(name: string): void {
    this.open.get(name)?.close()
    this.open.delete(name)
  }

  /** Looks at a store's packs again, if it is open. */
  refresh(name: string): void {
    this.open.get(name)?.objects.lookAgain()
  }

  close(): void {
    for (const store of this.open.values()) store.close()
    this.open.clear()
  }
}

export function removeQuietly(path: string): void {
  rmSync(path, { force: true })
}
