/** Finds the memories that match words, in the order of their use. */
import { DAY } from '#lib/time.ts'
import { wordsOf } from './fold-text.ts'
import type { MemoryRow } from './store.ts'

/** Memories that no agent was given for so long come after the others. */
export const UNUSED_DAYS = 180

/** A memory with the words of its text. */
type Worded = { readonly row: MemoryRow; readonly words: readonly string[] }
type Ranked = { readonly row: MemoryRow; readonly score: number }

/**
 * How well a memory matches a query: 0 unless it has every word. The last word may be the beginning
 * of one. A short memory that has the words ranks before a long one.
 */
export function scoreOf(query: readonly string[], words: readonly string[]): number {
  const last = query.length - 1
  let found = 0
  for (const [at, wanted] of query.entries()) {
    const count = words.filter((word) =>
      at === last ? word.startsWith(wanted) : word === wanted,
    ).length
    if (count === 0) return 0
    found += count
  }
  return found / Math.sqrt(words.length)
}

export const isUnused = (
  row: Pick<MemoryRow, 'last_used_at' | 'created_at'>,
  now_ms: number,
): boolean => Date.parse(row.last_used_at ?? row.created_at) < now_ms - UNUSED_DAYS * DAY

/** Pinned first, then the best match, then those in use, then the newest. */
function sortRanked(ranked: Ranked[], now_ms: number): MemoryRow[] {
  const unused = new Set(ranked.flatMap(({ row }) => (isUnused(row, now_ms) ? [row.id] : [])))
  return ranked
    .sort(
      (a, b) =>
        b.row.pinned - a.row.pinned ||
        b.score - a.score ||
        Number(unused.has(a.row.id)) - Number(unused.has(b.row.id)) ||
        (a.row.id < b.row.id ? 1 : -1),
    )
    .map(({ row }) => row)
}

const wordedRows = (rows: readonly MemoryRow[]): Worded[] =>
  rows.map((row) => ({ row, words: wordsOf(row.text) }))

function matchWorded(worded: readonly Worded[], query: string, now_ms: number): MemoryRow[] {
  const wanted = [...new Set(wordsOf(query))]
  // A query of signs alone has no word, so nothing has its words.
  if (wanted.length === 0) return []
  const ranked = worded.flatMap(({ row, words }) => {
    const score = scoreOf(wanted, words)
    return score === 0 ? [] : [{ row, score }]
  })
  return sortRanked(ranked, now_ms)
}

/** The memories that have every word of a query; all of them without words. */
export const matchMemories = (
  rows: readonly MemoryRow[],
  query: string | undefined,
  now_ms: number,
): MemoryRow[] =>
  query === undefined || query.trim() === ''
    ? sortRanked(
        rows.map((row) => ({ row, score: 0 })),
        now_ms,
      )
    : matchWorded(wordedRows(rows), query, now_ms)

/** The memories that match each of several queries, in the order of the queries. */
export function matchEachQuery(
  rows: readonly MemoryRow[],
  queries: readonly string[],
  now_ms: number,
): MemoryRow[][] {
  const worded = wordedRows(rows)
  return queries.map((query) => matchWorded(worded, query, now_ms))
}

/** A word that a larger share of the memories has says nothing about any, such as `the`. */
const MAX_SPREAD = 0.2
/** Among fewer memories every word counts. */
const MIN_SAMPLE = 8

/**
 * The memories that have most to do with a text, best first: a word that few memories have counts
 * more. Those that share no word are left out.
 */
export function nearestMemories(
  rows: readonly MemoryRow[],
  text: string,
  now_ms: number,
): MemoryRow[] {
  const asked = new Set(wordsOf(text).filter((word) => word.length > 2))
  const words = rows.map((row) => [...new Set(wordsOf(row.text))])
  const spread = new Map<string, number>()
  for (const list of words) for (const word of list) spread.set(word, (spread.get(word) ?? 0) + 1)
  const isTelling = (word: string): boolean =>
    rows.length < MIN_SAMPLE || (spread.get(word) ?? 0) <= MAX_SPREAD * rows.length
  const ranked = rows.flatMap((row, at) => {
    const list = words[at] ?? []
    const weight = list
      .filter((word) => asked.has(word) && isTelling(word))
      .reduce((sum, word) => sum + Math.log(1 + rows.length / (spread.get(word) ?? 1)), 0)
    return weight === 0 ? [] : [{ row, score: weight / Math.sqrt(list.length) }]
  })
  return sortRanked(ranked, now_ms)
}

/** The share of words in which a new text may differ from a memory that says the same. */
const MAX_DIFFERENCE = 0.2

/** The memory that says nearly the same in the same words; null when there is none. */
export function findNearlyEqual(rows: readonly MemoryRow[], text: string): MemoryRow | null {
  const words = new Set(wordsOf(text))
  return (
    rows.find((row) => {
      const others = new Set(wordsOf(row.text))
      const shared = [...words].filter((word) => others.has(word)).length
      const all = words.size + others.size - shared
      return all > 0 && (all - shared) / all <= MAX_DIFFERENCE
    }) ?? null
  )
}
