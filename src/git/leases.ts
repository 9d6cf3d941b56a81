/**
 * Leases objects that running work refers to. A ref may be deleted while a push builds on it, and
 * maintenance may run before the push is applied. Leased objects count as reachable until then.
 */
import { bytesToOids, isOid, oidsToBytes } from './object.ts'
import type { Oid } from './ports.ts'

export class Leases {
  private readonly held = new Map<string, Set<() => Uint8Array>>()

  /** Leases raw ids, 20 bytes each, until the returned function is called. */
  hold(store: string, tips: () => Uint8Array): () => void {
    const all = this.held.get(store) ?? new Set()
    this.held.set(store, all.add(tips))
    return () => {
      all.delete(tips)
      if (all.size === 0 && this.held.get(store) === all) this.held.delete(store)
    }
  }

  /** Leases ids for a time in which the host can create a ref. */
  holdFor(store: string, oids: readonly Oid[], milliseconds: number): void {
    const raw = oidsToBytes(oids.filter(isOid))
    const release = this.hold(store, () => raw)
    const timer = setTimeout(release, milliseconds)
    timer.unref()
  }

  /** All leased ids of a store, 20 bytes each. */
  rawOf(store: string): Uint8Array {
    return Buffer.concat([...(this.held.get(store) ?? [])].map((tips) => tips()))
  }

  /** All leased ids of a store. */
  of(store: string): Oid[] {
    return [...new Set(bytesToOids(this.rawOf(store)))]
  }
}
