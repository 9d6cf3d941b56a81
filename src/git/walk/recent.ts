/**
 * Ids that were met a short while ago. From one commit to the next nearly all entries of a
 * directory are the same: this small table, which stays in the processor's cache, answers for them
 * before the large one is asked.
 */
import { GitError } from '../ports.ts'

/** Trees after which a table that began small gets its full size. */
const SHORT = 64

export class RecentOids {
  private words: Int32Array
  private mask: number
  private trees = 0

  /**
   * Both are powers of two. A walk that may be short begins with fewer slots: the whole table would
   * be more memory than all else that it needs.
   */
  constructor(
    private readonly slots: number,
    first = slots,
  ) {
    this.words = new Int32Array(first * 5).fill(-1)
    this.mask = first - 1
  }

  /** Where the entry starts that `next` found. */
  start = 0

  /**
   * Where the name ends of the first entry of a tree, from `from` on, that was not met lately; -1
   * when there is none.
   */
  next(bytes: Uint8Array, from: number, size: number): number {
    if (from === 0 && ++this.trees === SHORT) this.grow()
    while (from < size) {
      const end = nameEnd(bytes, from, size)
      if (!this.met(bytes, end + 1)) {
        this.start = from
        return end
      }
      from = end + 21
    }
    return -1
  }

  /** Whether the id was met lately; it counts as met from now on. */
  met(bytes: Uint8Array, at: number): boolean {
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
 * Where the name of a tree's entry at `at` ends. Throws GitError `corrupt` when the entry is cut
 * off.
 */
export function nameEnd(bytes: Uint8Array, at: number, size: number): number {
  // Modes have five digits or six, and a space follows.
  at += 6
  while (at < size && bytes[at] !== 0) at++
  if (at + 21 > size) throw new GitError('corrupt', 'a tree is truncated')
  return at
}
