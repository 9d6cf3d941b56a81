/**
 * A store with one pack more, which nobody else sees: a push is checked with it before it is let
 * in.
 */
import type { CommitGraph } from './commit-graph.ts'
import { ObjectStore } from './object-store.ts'
import type { PackFile } from './pack-file.ts'

export class OverlayStore extends ObjectStore {
  constructor(
    private readonly below: ObjectStore,
    private readonly added: PackFile,
  ) {
    super(below.directory, below.reader)
  }

  override get packs(): readonly PackFile[] {
    return [this.added, ...(this.below?.packs ?? [])]
  }

  override get commitGraph(): CommitGraph | null {
    return this.below.commitGraph
  }

  override refresh(): boolean {
    // The constructor of the class above calls this before there is anything below.
    return this.below?.refresh() ?? false
  }

  override locateKnown(oid: Uint8Array, at: number): boolean {
    const place = this.added.index.find(oid, at)
    if (place >= 0) {
      this.pack = this.added
      this.place = place
      this.offset = this.added.index.offset(place)
      return true
    }
    if (!this.below.locateKnown(oid, at)) return false
    this.pack = this.below.pack
    this.place = this.below.place
    this.offset = this.below.offset
    return true
  }

  /** Whether the object is in the added pack. */
  isAdded(oid: Uint8Array): boolean {
    return this.added.index.find(oid, 0) >= 0
  }

  override close(): void {
    this.added.close()
  }
}
