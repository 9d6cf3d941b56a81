/**
 * The linear-space diff of E. Myers ("An O(ND) Difference Algorithm and Its Variations", 1986),
 * with the two heuristics of GNU diff and git against its quadratic worst case. Lines that occur on
 * one side only, or frequent lines among such lines, are marked as changed before the search. A
 * search that exceeds its cost limit takes the best split found so far.
 */
import type { Marks } from './changes.ts'
import type { Effort } from './effort.ts'

/** A run of more equal lines than this lets a search stop early. */
const MIN_SNAKE_LENGTH = 20
/** Below this cost a search always continues. */
const HEURISTIC_COST = 256
const HEURISTIC_FACTOR = 4
const MIN_MAX_COST = 256
/** The cost limit of a search when the effort is spent. */
const EXHAUSTED_COST = 8
/**
 * Lines with this many occurrences on the other side count as frequent. The limit grows with the
 * square root of the file's length.
 */
const MAX_MATCHES = 1024
const WINDOW = 100
const RUN_FACTOR = 4

/** A power of two near the square root, with which the limits grow. */
export function roughRoot(n: number): number {
  let root = 1
  for (let left = n; left > 0; left >>>= 2) root <<= 1
  return root
}

/**
 * Marks the differing lines of old[oldFrom..oldTo) and new[newFrom..newTo). All line numbers are
 * below `kinds`.
 */
export function myersDiff(
  a: Int32Array,
  oldFrom: number,
  oldTo: number,
  b: Int32Array,
  newFrom: number,
  newTo: number,
  kinds: number,
  marks: Marks,
  effort: Effort,
): void {
  let from = 0
  const shorter = Math.min(oldTo - oldFrom, newTo - newFrom)
  while (from < shorter && a[oldFrom + from] === b[newFrom + from]) from++
  let tail = 0
  while (tail < shorter - from && a[oldTo - 1 - tail] === b[newTo - 1 - tail]) tail++
  const oldKept = selectLines(
    a,
    oldFrom,
    oldTo,
    oldFrom + from,
    oldTo - tail,
    countKinds(b, newFrom, newTo, kinds),
    marks.old,
  )
  const newKept = selectLines(
    b,
    newFrom,
    newTo,
    newFrom + from,
    newTo - tail,
    countKinds(a, oldFrom, oldTo, kinds),
    marks.new,
  )
  new Search(a, oldKept, b, newKept, marks, effort).run()
}

function countKinds(numbers: Int32Array, from: number, to: number, kinds: number): Int32Array {
  const counts = new Int32Array(kinds)
  for (let i = from; i < to; i++) counts[numbers[i] as number]!++
  return counts
}

/** Returns the lines to search; the others are marked as changed. */
function selectLines(
  numbers: Int32Array,
  from: number,
  to: number,
  first: number,
  last: number,
  matches: Int32Array,
  marks: Uint8Array,
): Int32Array {
  const limit = Math.min(roughRoot(to - from), MAX_MATCHES)
  const rank = new Uint8Array(last - first)
  for (let i = first; i < last; i++) {
    const found = matches[numbers[i] as number] as number
    rank[i - first] = found === 0 ? 0 : found >= limit ? 2 : 1
  }
  const kept = new Int32Array(last - first)
  let count = 0
  for (let i = 0; i < rank.length; i++) {
    if (rank[i] === 1 || (rank[i] === 2 && !amidUnmatched(rank, i))) kept[count++] = first + i
    else marks[first + i] = 1
  }
  return kept.subarray(0, count)
}

/** Whether a frequent line is surrounded mostly by lines that the other side does not have. */
function amidUnmatched(rank: Uint8Array, at: number): boolean {
  const lowest = Math.max(0, at - WINDOW)
  const highest = Math.min(rank.length - 1, at + WINDOW)
  let unmatched = 0
  let frequent = 0
  for (let i = at - 1; i >= lowest && rank[i] !== 1; i--) {
    if (rank[i] === 0) unmatched++
    else frequent++
  }
  if (unmatched === 0) return false
  const before = unmatched
  for (let i = at + 1; i <= highest && rank[i] !== 1; i++) {
    if (rank[i] === 0) unmatched++
    else frequent++
  }
  if (unmatched === before) return false
  // Both directions count the line itself among the frequent ones.
  const around = frequent + 2
  return around * RUN_FACTOR < around + unmatched
}

type SearchBox = { oldFrom: number; oldTo: number; newFrom: number; newTo: number; exact: boolean }
type SplitPoint = { old: number; new: number; exactLow: boolean; exactHigh: boolean }

const UNREACHED = 0x7fffffff

class Search {
  private readonly x: Int32Array
  private readonly y: Int32Array
  /** The furthest old position per diagonal, forward from the start and backward from the end. */
  private readonly forward: Int32Array
  private readonly backward: Int32Array
  private readonly offset: number
  private readonly maxCost: number

  constructor(
    a: Int32Array,
    private readonly oldKept: Int32Array,
    b: Int32Array,
    private readonly newKept: Int32Array,
    private readonly marks: Marks,
    private readonly effort: Effort,
  ) {
    this.x = oldKept.map((line) => a[line] as number)
    this.y = newKept.map((line) => b[line] as number)
    const diagonals = this.x.length + this.y.length + 3
    this.forward = new Int32Array(diagonals + 1)
    this.backward = new Int32Array(diagonals + 1)
    this.offset = this.y.length + 1
    this.maxCost = Math.max(MIN_MAX_COST, roughRoot(diagonals))
  }

  run(): void {
    const { x, y } = this
    const stack: SearchBox[] = [
      { oldFrom: 0, oldTo: x.length, newFrom: 0, newTo: y.length, exact: false },
    ]
    for (let box = stack.pop(); box; box = stack.pop()) {
      let { oldFrom, oldTo, newFrom, newTo } = box
      while (oldFrom < oldTo && newFrom < newTo && x[oldFrom] === y[newFrom]) {
        oldFrom++
        newFrom++
      }
      while (oldFrom < oldTo && newFrom < newTo && x[oldTo - 1] === y[newTo - 1]) {
        oldTo--
        newTo--
      }
      if (oldFrom === oldTo) {
        for (let i = newFrom; i < newTo; i++) this.marks.new[this.newKept[i] as number] = 1
      } else if (newFrom === newTo) {
        for (let i = oldFrom; i < oldTo; i++) this.marks.old[this.oldKept[i] as number] = 1
      } else {
        const split = this.split(oldFrom, oldTo, newFrom, newTo, box.exact)
        stack.push({ oldFrom: split.old, oldTo, newFrom: split.new, newTo, exact: split.exactHigh })
        stack.push({ oldFrom, oldTo: split.old, newFrom, newTo: split.new, exact: split.exactLow })
      }
    }
  }

  /**
   * A point of a shortest path through the box, or of a good path when the cost limit is exceeded.
   * It stays one function: it is the innermost loop of every comparison.
   */
  private split(
    off1: number,
    lim1: number,
    off2: number,
    lim2: number,
    exact: boolean,
  ): SplitPoint {
    const { x, y, forward, backward, offset } = this
    const least = off1 - lim2
    const most = lim1 - off2
    const startDiagonal = off1 - off2
    const endDiagonal = lim1 - lim2
    const odd = ((startDiagonal - endDiagonal) & 1) !== 0
    let fmin = startDiagonal
    let fmax = startDiagonal
    let bmin = endDiagonal
    let bmax = endDiagonal
    forward[offset + startDiagonal] = off1
    backward[offset + endDiagonal] = lim1
    for (let cost = 1; ; cost++) {
      let snake = false
      let steps = 0
      if (fmin > least) forward[offset + --fmin - 1] = -1
      else fmin++
      if (fmax < most) forward[offset + ++fmax + 1] = -1
      else fmax--
      for (let d = fmax; d >= fmin; d -= 2) {
        const lower = forward[offset + d - 1] as number
        const upper = forward[offset + d + 1] as number
        let i = lower >= upper ? lower + 1 : upper
        const start = i
        let j = i - d
        while (i < lim1 && j < lim2 && x[i] === y[j]) {
          i++
          j++
        }
        if (i - start > MIN_SNAKE_LENGTH) snake = true
        steps += i - start
        forward[offset + d] = i
        if (odd && bmin <= d && d <= bmax && (backward[offset + d] as number) <= i) {
          return { old: i, new: j, exactLow: true, exactHigh: true }
        }
      }
      if (bmin > least) backward[offset + --bmin - 1] = UNREACHED
      else bmin++
      if (bmax < most) backward[offset + ++bmax + 1] = UNREACHED
      else bmax--
      for (let d = bmax; d >= bmin; d -= 2) {
        const lower = backward[offset + d - 1] as number
        const upper = backward[offset + d + 1] as number
        let i = lower < upper ? lower : upper - 1
        const start = i
        let j = i - d
        while (i > off1 && j > off2 && x[i - 1] === y[j - 1]) {
          i--
          j--
        }
        if (start - i > MIN_SNAKE_LENGTH) snake = true
        steps += start - i
        backward[offset + d] = i
        if (!odd && fmin <= d && d <= fmax && i <= (forward[offset + d] as number)) {
          return { old: i, new: j, exactLow: true, exactHigh: true }
        }
      }
      this.effort.spend(steps + fmax - fmin + bmax - bmin)
      const tired = this.effort.spent
      if (exact && !tired) continue
      if (snake && cost > HEURISTIC_COST) {
        const good =
          this.goodForward(off1, lim1, off2, lim2, fmin, fmax, startDiagonal, cost) ??
          this.goodBackward(off1, lim1, off2, lim2, bmin, bmax, endDiagonal, cost)
        if (good) return good
      }
      if (cost >= (tired ? EXHAUSTED_COST : this.maxCost))
        return this.furthest(off1, lim1, off2, lim2, fmin, fmax, bmin, bmax)
    }
  }

  /** A forward path that has advanced unusually far and ends in a run of equal lines. */
  private goodForward(
    off1: number,
    lim1: number,
    off2: number,
    lim2: number,
    fmin: number,
    fmax: number,
    middle: number,
    cost: number,
  ): SplitPoint | null {
    const { x, y, forward, offset } = this
    let best = 0
    let split: SplitPoint | null = null
    for (let d = fmax; d >= fmin; d -= 2) {
      const i = forward[offset + d] as number
      const j = i - d
      const value = i - off1 + (j - off2) - Math.abs(d - middle)
      if (value <= HEURISTIC_FACTOR * cost || value <= best) continue
      if (i < off1 + MIN_SNAKE_LENGTH || i >= lim1 || j < off2 + MIN_SNAKE_LENGTH || j >= lim2)
        continue
      let run = 0
      while (run < MIN_SNAKE_LENGTH && x[i - 1 - run] === y[j - 1 - run]) run++
      if (run < MIN_SNAKE_LENGTH) continue
      best = value
      split = { old: i, new: j, exactLow: true, exactHigh: false }
    }
    return split
  }

  private goodBackward(
    off1: number,
    lim1: number,
    off2: number,
    lim2: number,
    bmin: number,
    bmax: number,
    middle: number,
    cost: number,
  ): SplitPoint | null {
    const { x, y, backward, offset } = this
    let best = 0
    let split: SplitPoint | null = null
    for (let d = bmax; d >= bmin; d -= 2) {
      const i = backward[offset + d] as number
      const j = i - d
      const value = lim1 - i + (lim2 - j) - Math.abs(d - middle)
      if (value <= HEURISTIC_FACTOR * cost || value <= best) continue
      if (i <= off1 || i > lim1 - MIN_SNAKE_LENGTH || j <= off2 || j > lim2 - MIN_SNAKE_LENGTH)
        continue
      let run = 0
      while (run < MIN_SNAKE_LENGTH && x[i + run] === y[j + run]) run++
      if (run < MIN_SNAKE_LENGTH) continue
      best = value
      split = { old: i, new: j, exactLow: false, exactHigh: true }
    }
    return split
  }

  /** The path that has advanced furthest from its end of the box. */
  private furthest(
    off1: number,
    lim1: number,
    off2: number,
    lim2: number,
    fmin: number,
    fmax: number,
    bmin: number,
    bmax: number,
  ): SplitPoint {
    const { forward, backward, offset } = this
    let best = -1
    let bestOld = -1
    for (let d = fmax; d >= fmin; d -= 2) {
      let i = Math.min(forward[offset + d] as number, lim1)
      let j = i - d
      if (lim2 < j) {
        i = lim2 + d
        j = lim2
      }
      if (best < i + j) {
        best = i + j
        bestOld = i
      }
    }
    let least = UNREACHED
    let leastOld = UNREACHED
    for (let d = bmax; d >= bmin; d -= 2) {
      let i = Math.max(off1, backward[offset + d] as number)
      let j = i - d
      if (j < off2) {
        i = off2 + d
        j = off2
      }
      if (i + j < least) {
        least = i + j
        leastOld = i
      }
    }
    if (lim1 + lim2 - least < best - (off1 + off2))
      return { old: bestOld, new: best - bestOld, exactLow: true, exactHigh: false }
    return { old: leastOld, new: least - leastOld, exactLow: false, exactHigh: true }
  }
}
