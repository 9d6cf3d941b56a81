/**
 * A store with one additional pack that no other reader sees. A push is checked with it before its
 * pack is installed.
 */
import type { CommitGraph } from './commit-graph.ts'
import { ObjectStore } from './object-store.ts'
import type { PackFile } from './pack-file.ts'
import type { ShallowRoots } from './shallow-roots.ts'

export class OverlayStore extends ObjectStore {
  constructor(
    private readonly base: ObjectStore,
    private readonly added: PackFile,
    /** Commits of the pack whose parents nobody has. */
    private readonly addedRoots: ShallowRoots | null = null,
  ) {
    super(base.directory, base.reader)
  }

  override get packs(): readonly PackFile[] {
    return [this.added, ...(this.base?.packs ?? [])]
  }

  override get shallowRoots(): ShallowRoots | null {
    const { addedRoots } = this
    const known = this.base.shallowRoots
    return addedRoots === null || known === null
      ? (addedRoots ?? known)
      : new Set([...known, ...addedRoots])
  }

  override get commitGraph(): CommitGraph | null {
    return this.base.commitGraph
  }

  override refresh(): boolean {
    // The constructor of the base class calls this before `base` is set.
    return this.base?.refresh() ?? false
  }

  override locateKnown(oid: Uint8Array, at: number): boolean {
    const indexPos = this.added.index.find(oid, at)
    if (indexPos >= 0) {
      this.pack = this.added
      this.indexPos = indexPos
      this.offset = this.added.index.offset(indexPos)
      return true
    }
    if (!this.base.locateKnown(oid, at)) return false
    this.pack = this.base.pack
    this.indexPos = this.base.indexPos
    this.offset = this.base.offset
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
