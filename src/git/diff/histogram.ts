/**
 * The histogram diff of JGit's `HistogramDiff` (https://www.eclipse.org/jgit) and of git's
 * `--histogram`: split at the longest run of common lines among the rarest ones, then repeat before
 * and after it. Regions whose common lines are all frequent use Myers' algorithm. So does the rest
 * when a budget is spent, because the method is quadratic on crafted files.
 */
import type { Marks } from './changes.ts'
import type { Effort } from './effort.ts'
import { myersDiff } from './myers.ts'

/** More frequent lines of a region are not used for a split. */
const MAX_OCCURRENCES = 64
/** A bound on compared lines, plus a part that grows with the files. */
const BASE_BUDGET = 20_000_000
const BUDGET_PER_LINE = 256

type Region = { oldFrom: number; oldTo: number; newFrom: number; newTo: number }

export function histogramDiff(
  a: Int32Array,
  b: Int32Array,
  kinds: number,
  marks: Marks,
  effort: Effort,
): void {
  const finder = new SplitFinder(a, b, kinds)
  const stack: Region[] = [{ oldFrom: 0, oldTo: a.length, newFrom: 0, newTo: b.length }]
  for (let region = stack.pop(); region; region = stack.pop()) {
    const { oldFrom, oldTo, newFrom, newTo } = region
    if (oldFrom === oldTo || newFrom === newTo) {
      marks.old.fill(1, oldFrom, oldTo)
      marks.new.fill(1, newFrom, newTo)
      continue
    }
    if (finder.spent || !finder.find(region)) {
      myersDiff(a, oldFrom, oldTo, b, newFrom, newTo, kinds, marks, effort)
      continue
    }
    const { oldStart, oldEnd, newStart, newEnd } = finder
    if (oldEnd === oldStart) {
      marks.old.fill(1, oldFrom, oldTo)
      marks.new.fill(1, newFrom, newTo)
      continue
    }
    stack.push({ oldFrom: oldEnd, oldTo, newFrom: newEnd, newTo })
    stack.push({ oldFrom, oldTo: oldStart, newFrom, newTo: newStart })
  }
}

class SplitFinder {
  /** The run found last; empty when the region has no common line. */
  oldStart = 0
  oldEnd = 0
  newStart = 0
  newEnd = 0
  private work = 0
  private readonly budget: number
  /** Per kind of line: its first position in the old region plus one, and its count there. */
  private readonly head: Int32Array
  private readonly counts: Int32Array
  /** Per old line: the next position of the same kind plus one. */
  private readonly next: Int32Array

  constructor(
    private readonly a: Int32Array,
    private readonly b: Int32Array,
    kinds: number,
  ) {
    this.head = new Int32Array(kinds)
    this.counts = new Int32Array(kinds)
    this.next = new Int32Array(a.length)
    this.budget = BASE_BUDGET + BUDGET_PER_LINE * (a.length + b.length)
  }

  get spent(): boolean {
    return this.work > this.budget
  }

  /** Finds the run to split the region at; false when its common lines are all too frequent. */
  find({ oldFrom, oldTo, newFrom, newTo }: Region): boolean {
    const { a, head, counts, next } = this
    for (let i = oldTo - 1; i >= oldFrom; i--) {
      const kind = a[i] as number
      next[i] = head[kind] as number
      head[kind] = i + 1
      counts[kind]!++
    }
    this.work += oldTo - oldFrom
    this.oldStart = this.oldEnd = this.newStart = this.newEnd = 0
    const found = this.scan(oldFrom, oldTo, newFrom, newTo)
    for (let i = oldFrom; i < oldTo; i++) {
      const kind = a[i] as number
      head[kind] = 0
      counts[kind] = 0
    }
    return found
  }

  private scan(oldFrom: number, oldTo: number, newFrom: number, newTo: number): boolean {
    const { a, b, head, counts, next } = this
    let rarest = MAX_OCCURRENCES + 1
    let common = false
    for (let at = newFrom; at < newTo; ) {
      let resume = at + 1
      const kind = b[at] as number
      const occurrences = counts[kind] as number
      this.work++
      if (occurrences > 0) common = true
      if (occurrences > 0 && occurrences <= rarest) {
        let place = head[kind] as number
        while (place > 0) {
          let start = place - 1
          let end = place
          let newStart = at
          let newEnd = at + 1
          let rare = occurrences
          while (start > oldFrom && newStart > newFrom && a[start - 1] === b[newStart - 1]) {
            start--
            newStart--
            if (rare > 1) rare = Math.min(rare, counts[a[start] as number] as number)
          }
          while (end < oldTo && newEnd < newTo && a[end] === b[newEnd]) {
            if (rare > 1) rare = Math.min(rare, counts[a[end] as number] as number)
            end++
            newEnd++
          }
          this.work += end - start
          if (newEnd > resume) resume = newEnd
          if (this.oldEnd - this.oldStart < end - start || rare < rarest) {
            this.oldStart = start
            this.oldEnd = end
            this.newStart = newStart
            this.newEnd = newEnd
            rarest = rare
          }
          // Positions inside this run would only find parts of it.
          do place = next[place - 1] as number
          while (place > 0 && place <= end)
        }
      }
      at = resume
    }
    return !(common && rarest > MAX_OCCURRENCES)
  }
}
