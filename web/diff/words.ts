// The words of a line that changed. Lines with little in common get no marks, because nearly
// everything would be marked.

/** The start and end offset in the text of a line. */
export type Range = readonly [number, number]

const MAX_LINE_LENGTH = 1_000
const MAX_TABLE_CELLS = 40_000

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? []

/** The ranges of the tokens that are not kept. Neighbours are joined. */
const ranges = (tokens: readonly string[], kept: ReadonlySet<number>, start: number): Range[] => {
  const result: [number, number][] = []
  let at = start
  for (const [index, token] of tokens.entries()) {
    if (!kept.has(index)) {
      const last = result.at(-1)
      if (last && last[1] === at) last[1] = at + token.length
      else result.push([at, at + token.length])
    }
    at += token.length
  }
  return result
}

/** The longest common subsequence of two short token lists, as the indexes kept on each side. */
const findCommonTokens = (
  before: readonly string[],
  after: readonly string[],
): { old: Set<number>; new: Set<number> } => {
  const width = after.length + 1
  const table = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      table[i * width + j] =
        before[i] === after[j]
          ? (table[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(table[(i + 1) * width + j] ?? 0, table[i * width + j + 1] ?? 0)
    }
  }
  const kept = { old: new Set<number>(), new: new Set<number>() }
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) {
      kept.old.add(i++)
      kept.new.add(j++)
    } else if ((table[(i + 1) * width + j] ?? 0) >= (table[i * width + j + 1] ?? 0)) i++
    else j++
  }
  return kept
}

/**
 * The ranges that differ between two versions of a line. Empty when the versions have little in
 * common.
 */
export const changedWords = (before: string, after: string): { old: Range[]; new: Range[] } => {
  const none = { old: [], new: [] }
  if (before === after || before.length > MAX_LINE_LENGTH || after.length > MAX_LINE_LENGTH)
    return none
  const old = words(before)
  const fresh = words(after)
  let head = 0
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head++
  let tail = 0
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  )
    tail++
  const oldMiddle = old.slice(head, old.length - tail)
  const newMiddle = fresh.slice(head, fresh.length - tail)
  const start = old.slice(0, head).join('').length
  const kept =
    oldMiddle.length * newMiddle.length <= MAX_TABLE_CELLS
      ? findCommonTokens(oldMiddle, newMiddle)
      : { old: new Set<number>(), new: new Set<number>() }
  const same =
    before.length -
    oldMiddle.reduce((sum, token, index) => sum + (kept.old.has(index) ? 0 : token.length), 0)
  // Equal white space does not make lines similar.
  const blank = /^\s*/.exec(before)?.[0].length ?? 0
  const longest = Math.max(before.length, after.length) - blank
  if (longest <= 0 || (same - blank) / longest < 0.35) return none
  return { old: ranges(oldMiddle, kept.old, start), new: ranges(newMiddle, kept.new, start) }
}
