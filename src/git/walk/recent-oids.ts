/**
 * A small cache of ids seen recently. From one commit to the next almost all entries of a directory
 * are equal. The table stays in the processor's cache and answers most lookups before the large
 * hash table is read.
 */
import { GitError } from '../ports.ts'

/** Number of trees after which a table that started small grows to its full size. */
const GROW_AFTER_TREES = 64

export class RecentOids {
  private words: Int32Array
  private mask: number
  private trees = 0

  /**
   * Both sizes are powers of two. A walk that may be short starts with fewer slots: the full table
   * would be most of its memory.
   */
  constructor(
    private readonly slots: number,
    first = slots,
  ) {
    this.words = new Int32Array(first * 5).fill(-1)
    this.mask = first - 1
  }

  /** Start of the entry that `nextUnseen` found. */
  entryStart = 0

  /**
   * Returns where the name of the next entry ends that was not seen recently, from `from` on; -1
   * without any.
   */
  nextUnseen(bytes: Uint8Array, from: number, size: number): number {
    if (from === 0 && ++this.trees === GROW_AFTER_TREES) this.grow()
    while (from < size) {
      const end = entryNameEnd(bytes, from, size)
      if (!this.checkAndAdd(bytes, end + 1)) {
        this.entryStart = from
        return end
      }
      from = end + 21
    }
    return -1
  }

  /** Whether the id was seen recently. It counts as seen from now on. */
  checkAndAdd(bytes: Uint8Array, at: number): boolean {
    const { words } = this
    const slot = (bytes[at]! | (bytes[at + 1]! << 8)) & this.mask
    const base = slot * 5
    const a = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    const b =
      bytes[at + 4]! | (bytes[at + 5]! << 8) | (bytes[at + 6]! << 16) | (bytes[at + 7]! << 24)
    const c =
      bytes[at + 8]! | (bytes[at + 9]! << 8) | (bytes[at + 10]! << 16) | (bytes[at + 11]! << 24)
    const d =
      bytes[at + 12]! | (bytes[at + 13]! << 8) | (bytes[at + 14]! << 16) | (bytes[at + 15]! << 24)
    const e =
      bytes[at + 16]! | (bytes[at + 17]! << 8) | (bytes[at + 18]! << 16) | (bytes[at + 19]! << 24)
    if (
      words[base] === a &&
      words[base + 1] === b &&
      words[base + 2] === c &&
      words[base + 3] === d &&
      words[base + 4] === e
    )
      return true
    words[base] = a
    words[base + 1] = b
    words[base + 2] = c
    words[base + 3] = d
    words[base + 4] = e
    return false
  }

  private grow(): void {
    if (this.mask === this.slots - 1) return
    this.words = new Int32Array(this.slots * 5).fill(-1)
    this.mask = this.slots - 1
  }
}

/**
 * Returns where the name of the tree entry at `at` ends. Throws GitError `corrupt` for a truncated
 * entry.
 */
export function entryNameEnd(bytes: Uint8Array, at: number, size: number): number {
  // A mode has five or six digits and a space after it.
  at += 6
  while (at < size && bytes[at] !== 0) at++
  if (at + 21 > size) throw new GitError('corrupt', 'a tree is truncated')
  return at
}
