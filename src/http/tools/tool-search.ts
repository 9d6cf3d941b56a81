/**
 * Finds tools by what a user wants to do. Each tool has terms, weighted by where they are: its name,
 * the words that users have for it, its summary. A rare term counts more (inverse document
 * frequency), and so does a phrase that is in the query as a whole.
 */
import type { Operation } from '#core/operation.ts'
import { meaningsOf, stemsOf } from './tool-words.ts'

const NAME_WEIGHT = 3
const KEYWORD_WEIGHT = 2
const SUMMARY_WEIGHT = 1
const LATER_SUMMARY_WEIGHT = 0.5
const INPUT_WEIGHT = 0.5
/** For a phrase of the keywords, or the name, that the query holds as a whole. */
const PHRASE_WEIGHT = 3
/** For words of a name that the query lacks: `list_issues` is nearer to "issues" than its events. */
const MISSING_NAME_WEIGHT = 0.4

type Entry = {
  readonly operation: Operation
  /** Its name and aliases. */
  readonly names: readonly string[]
  readonly weights: ReadonlyMap<string, number>
  readonly name: readonly string[]
  readonly phrases: readonly (readonly string[])[]
}

function entryOf(operation: Operation): Entry {
  const weights = new Map<string, number>()
  const add = (stems: readonly string[], weight: number): void => {
    for (const stem of stems) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0))
  }
  const name = operation.name.split('_').flatMap((word) => stemsOf(word))
  const names = [operation.name, ...operation.aliases]
  const phrases = [...names.map((one) => one.replaceAll('_', ' ')), ...operation.keywords]
    .map(stemsOf)
    .filter(({ length }) => length > 0)
  const [first = '', ...rest] = operation.summary.split(/[.:;] /)
  add(
    Object.keys(operation.input.properties).flatMap((input) => stemsOf(input)),
    INPUT_WEIGHT,
  )
  add(stemsOf(rest.join(' ')), LATER_SUMMARY_WEIGHT)
  add(stemsOf(first), SUMMARY_WEIGHT)
  for (const phrase of phrases) add(phrase, KEYWORD_WEIGHT)
  add(name, NAME_WEIGHT)
  return { operation, names, weights, name, phrases }
}

export class ToolSearch {
  readonly #entries: readonly Entry[]
  /** How many tools have a term. */
  readonly #frequencies = new Map<string, number>()

  constructor(operations: readonly Operation[]) {
    this.#entries = operations.map(entryOf)
    for (const { weights } of this.#entries)
      for (const stem of weights.keys())
        this.#frequencies.set(stem, (this.#frequencies.get(stem) ?? 0) + 1)
  }

  /** The tools that fit a request, best first. */
  find(
    query: string,
    maxResults: number,
    isUsable: (operation: Operation) => boolean = () => true,
  ): Operation[] {
    const words = [...new Set(stemsOf(query))].map(meaningsOf)
    const meanings = new Map<string, number>()
    for (const word of words)
      for (const [stem, weight] of word)
        meanings.set(stem, Math.max(weight, meanings.get(stem) ?? 0))
    const asName = query
      .trim()
      .toLowerCase()
      .replace(/[\s-]+/g, '_')
    return this.#entries
      .filter(({ operation }) => isUsable(operation))
      .map((entry) => ({
        entry,
        score: entry.names.includes(asName)
          ? Number.POSITIVE_INFINITY
          : this.#scoreOf(entry, words, meanings),
      }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, maxResults)
      .map(({ entry }) => entry.operation)
  }

  #scoreOf(
    { weights, phrases, name }: Entry,
    words: readonly ReadonlyMap<string, number>[],
    meanings: ReadonlyMap<string, number>,
  ): number {
    let score = 0
    for (const word of words) {
      let best = 0
      for (const [stem, weight] of word)
        best = Math.max(best, weight * (weights.get(stem) ?? 0) * this.#rarityOf(stem))
      score += best
    }
    if (score === 0) return 0
    const found = phrases.map((phrase) => this.#phraseScore(phrase, meanings))
    const missing = name.filter((stem) => !meanings.has(stem))
    const lack = missing.reduce((sum, stem) => sum + this.#rarityOf(stem), 0)
    return score + PHRASE_WEIGHT * Math.max(...found) - MISSING_NAME_WEIGHT * lack
  }

  #phraseScore(phrase: readonly string[], meanings: ReadonlyMap<string, number>): number {
    let sum = 0
    let weight = 1
    for (const stem of phrase) {
      const meaning = meanings.get(stem)
      if (meaning === undefined) return 0
      weight *= meaning
      sum += this.#rarityOf(stem)
    }
    return sum * weight
  }

  #rarityOf(stem: string): number {
    return Math.log(1 + this.#entries.length / (this.#frequencies.get(stem) ?? 1))
  }
}
