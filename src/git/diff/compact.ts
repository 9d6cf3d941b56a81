/**
 * Moves runs of changed lines. A run can often be moved up or down without changing the meaning of
 * the diff. As in git, runs are moved so that they merge with neighbours, align with changes of the
 * other side, or begin and end where the indentation suggests (git-diff `--indent-heuristic`).
 */
import type { Lines } from './lines.ts'
import type { Marks } from './changes.ts'

/**
 * Moves the runs of one side. `other` are the marks of the other side. Without `lines` the
 * indentation does not matter.
 */
function compactSide(
  numbers: Int32Array,
  marks: Uint8Array,
  other: Uint8Array,
  lines: Lines | null,
): void {
  const run = new Group(numbers, marks)
  const opposite = new Group(numbers, other)
  do {
    if (run.end > run.start) settle(run, opposite, lines)
    opposite.advance()
  } while (run.advance())
}

export function compact(
  a: Int32Array,
  b: Int32Array,
  marks: Marks,
  oldLines: Lines | null,
  newLines: Lines | null,
): void {
  compactSide(a, marks.old, marks.new, oldLines)
  compactSide(b, marks.new, marks.old, newLines)
}

/** A possibly empty run of marked lines; between two of them there is exactly one unmarked line. */
class Group {
  start = 0
  end = 0
  private readonly count: number

  constructor(
    private readonly numbers: Int32Array,
    private readonly marks: Uint8Array,
  ) {
    this.count = marks.length - 1
    while (marks[this.end]) this.end++
  }

  advance(): boolean {
    if (this.end >= this.count) return false
    this.start = this.end + 1
    this.end = this.start
    while (this.marks[this.end]) this.end++
    return true
  }

  retreat(): boolean {
    if (this.start === 0) return false
    this.end = this.start - 1
    this.start = this.end
    while (this.start > 0 && this.marks[this.start - 1]) this.start--
    return true
  }

  slideUp(): boolean {
    const { numbers, marks } = this
    if (this.start === 0 || numbers[this.start - 1] !== numbers[this.end - 1]) return false
    marks[--this.start] = 1
    marks[--this.end] = 0
    while (this.start > 0 && marks[this.start - 1]) this.start--
    return true
  }

  slideDown(): boolean {
    const { numbers, marks } = this
    if (this.end >= this.count || numbers[this.start] !== numbers[this.end]) return false
    marks[this.start++] = 0
    marks[this.end++] = 1
    while (marks[this.end]) this.end++
    return true
  }
}

function settle(run: Group, opposite: Group, lines: Lines | null): void {
  let size: number
  let highest: number
  let aligned: boolean
  do {
    size = run.end - run.start
    aligned = false
    while (run.slideUp()) opposite.retreat()
    highest = run.end
    if (opposite.end > opposite.start) aligned = true
    while (run.slideDown()) {
      opposite.advance()
      if (opposite.end > opposite.start) aligned = true
    }
  } while (size !== run.end - run.start)
  if (run.end === highest) return
  if (aligned) {
    while (opposite.end === opposite.start) {
      if (!run.slideUp()) return
      opposite.retreat()
    }
  } else if (lines) {
    const best = bestEnd(lines, size, highest, run.end)
    while (run.end > best && run.slideUp()) opposite.retreat()
  }
}

/** The maximum distance in lines that a run is moved to a better position. */
const MAX_SLIDE = 100
const MAX_BLANKS = 20
const MAX_INDENT = 200
const INDENT_WEIGHT = 60

/** The penalties of a boundary between lines. Git's authors fitted them to diffs made by hand. */
const COST = {
  startOfFile: 1,
  endOfFile: 21,
  blank: -30,
  blankAfter: 6,
  indent: -4,
  indentAfterBlank: 10,
  outdent: 24,
  outdentAfterBlank: 17,
  dedent: 23,
  dedentAfterBlank: 17,
} as const

type Score = { indent: number; penalty: number }

function bestEnd(lines: Lines, size: number, highest: number, lowest: number): number {
  let best = -1
  let bestScore: Score = { indent: 0, penalty: 0 }
  for (let end = Math.max(highest, lowest - size - 1, lowest - MAX_SLIDE); end <= lowest; end++) {
    const score: Score = { indent: 0, penalty: 0 }
    addBoundary(lines, end, score)
    addBoundary(lines, end - size, score)
    const order =
      INDENT_WEIGHT * Math.sign(score.indent - bestScore.indent) +
      (score.penalty - bestScore.penalty)
    if (best === -1 || order <= 0) {
      best = end
      bestScore = score
    }
  }
  return best
}

function addBoundary(lines: Lines, at: number, score: Score): void {
  const atEnd = at >= lines.count
  const own = atEnd ? -1 : indentOf(lines, at)
  let before = -1
  let blanksBefore = 0
  for (let i = at - 1; i >= 0; i--) {
    before = indentOf(lines, i)
    if (before !== -1) break
    if (++blanksBefore === MAX_BLANKS) {
      before = 0
      break
    }
  }
  let after = -1
  let blanksAfter = 0
  for (let i = at + 1; i < lines.count; i++) {
    after = indentOf(lines, i)
    if (after !== -1) break
    if (++blanksAfter === MAX_BLANKS) {
      after = 0
      break
    }
  }
  if (before === -1 && blanksBefore === 0) score.penalty += COST.startOfFile
  if (atEnd) score.penalty += COST.endOfFile
  const following = own === -1 ? 1 + blanksAfter : 0
  const blanks = blanksBefore + following
  score.penalty += COST.blank * blanks + COST.blankAfter * following
  const indent = own === -1 ? after : own
  score.indent += indent
  if (indent === -1 || before === -1 || indent === before) return
  if (indent > before) score.penalty += blanks ? COST.indentAfterBlank : COST.indent
  else if (after !== -1 && after > indent)
    score.penalty += blanks ? COST.outdentAfterBlank : COST.outdent
  else score.penalty += blanks ? COST.dedentAfterBlank : COST.dedent
}

/**
 * The columns of white space at the beginning of a line, with tabs of eight; -1 for a blank line.
 */
function indentOf(lines: Lines, line: number): number {
  let columns = 0
  const end = lines.starts[line + 1] ?? 0
  for (let i = lines.starts[line] ?? 0; i < end; i++) {
    const byte = lines.data[i]
    if (byte === 0x20) columns++
    else if (byte === 0x09) columns += 8 - (columns % 8)
    else if (byte !== 0x0a && byte !== 0x0d) return columns
    if (columns >= MAX_INDENT) return MAX_INDENT
  }
  return -1
}
