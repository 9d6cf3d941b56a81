/** Caches the fingerprints of blobs by id, within a memory limit. */
import type { ObjectReader, Oid } from '../ports.ts'
import { blobSize, viewBlob } from '../history/tree.ts'
import { fingerprint, similarity, tooDifferent, type Fingerprint } from './similarity.ts'

/** Larger blobs are compared by id only. */
const MAX_BYTES = 64 * 1024 * 1024
/** Bytes read plus hashes compared for one search. Beyond it all scores are 0. */
const MAX_WORK = 2_000_000_000
/** Cached hashes, of eight bytes each. */
const MAX_KEPT = 8 * 1024 * 1024

export class Fingerprints {
  private readonly prints = new Map<Oid, Fingerprint>()
  private readonly sizes = new Map<Oid, number>()
  private kept = 0
  private work = 0

  constructor(private readonly db: ObjectReader) {}

  size(oid: Oid): number {
    let size = this.sizes.get(oid)
    if (size === undefined) this.sizes.set(oid, (size = blobSize(this.db, oid)))
    return size
  }

  /** The score of two blobs; 0 when it cannot reach `least`. */
  score(from: Oid, to: Oid, least: number): number {
    const a = this.size(from)
    const b = this.size(to)
    if (a > MAX_BYTES || b > MAX_BYTES || tooDifferent(a, b, least) || this.spent) return 0
    const [one, two] = [this.of(from), this.of(to)]
    this.work += one.hashes.length + two.hashes.length
    return similarity(one, two)
  }

  /** Whether the budget is spent. Scores are not reliable then. */
  get spent(): boolean {
    return this.work > MAX_WORK
  }

  private of(oid: Oid): Fingerprint {
    let print = this.prints.get(oid)
    if (!print) {
      print = fingerprint(viewBlob(this.db, oid))
      this.work += print.size
      if (this.kept > MAX_KEPT) {
        this.prints.clear()
        this.kept = 0
      }
      this.prints.set(oid, print)
      this.kept += print.hashes.length
    }
    return print
  }
}
