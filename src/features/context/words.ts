/** How well a record fits the words of a query. */
import { wordsOf } from '#features/memory/index.ts'
import { DAY } from '#lib/time.ts'

/** More words narrow nothing and cost a search each. */
const MAX_WORDS = 12
const WEIGHTS = { key: 10, title: 8, summary: 1 } as const
const PREFIX_SHARE = 0.7
/** What was found by a text that is not shown fits too. */
const MIN_SCORE = 0.02
const OPEN_BOOST = 1.1
const OWN_REPO_BOOST = 1.1
const RECENT_BOOST = 1.05
const RECENT_MS = 30 * DAY

export type Texts = { readonly key: string; readonly title: string; readonly summary: string }

export const queryWords = (query: string): string[] =>
  [...new Set(wordsOf(query))].slice(0, MAX_WORDS)

export const longestOf = (words: readonly string[], count: number): string[] =>
  words.toSorted((a, b) => b.length - a.length).slice(0, count)

/** The share of the highest possible weight that one word has in one text. */
function shareOf(word: string, words: ReadonlySet<string>): number {
  if (words.has(word)) return 1
  return word.length > 1 && [...words].some((other) => other.startsWith(word)) ? PREFIX_SHARE : 0
}

/** How well texts fit the words: from 0 (no word is in them) to 1 (the key has all). */
export function fitOf(words: readonly string[], texts: Texts): number {
  if (words.length === 0) return 0
  const fields = (['key', 'title', 'summary'] as const).map(
    (name) => [WEIGHTS[name], new Set(wordsOf(texts[name]))] as const,
  )
  const sum = words.reduce(
    (total, word) =>
      total + Math.max(...fields.map(([weight, found]) => weight * shareOf(word, found))),
    0,
  )
  return sum / (words.length * WEIGHTS.key)
}

export type Boosts = {
  readonly isOpen: boolean
  readonly isOwnRepo: boolean
  readonly updated_at: string | null
  readonly now_ms: number
}

export function scoreOf(fit: number, { isOpen, isOwnRepo, updated_at, now_ms }: Boosts): number {
  const isRecent = updated_at !== null && Date.parse(updated_at) > now_ms - RECENT_MS
  const score =
    Math.max(fit, MIN_SCORE) *
    (isOpen ? OPEN_BOOST : 1) *
    (isOwnRepo ? OWN_REPO_BOOST : 1) *
    (isRecent ? RECENT_BOOST : 1)
  return Math.round(Math.min(1, score) * 1000) / 1000
}
