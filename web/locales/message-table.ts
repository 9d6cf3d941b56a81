/**
 * Translations of sentences that the server made in English, with values in them. A sentence is
 * found again by its fixed parts, from left to right and without going back, so a hostile value
 * costs no more than its length.
 */

/**
 * Places whose values are words of the server, such as the state of a pull request. A key `value:open` translates
 * them, one by one where there are several. Other values are names, which keep their letters.
 */
const WORD_PLACES = new Set([
  'action',
  'approvals',
  'changed',
  'checks_ignored',
  'commits',
  'conclusion',
  'conversations',
  'files',
  'imported',
  'pages',
  'prerelease',
  'previous_role',
  'private',
  'reason',
  'role',
  'state',
  'status',
  'verdict',
])
const VALUE = 'value:'

/** The place of names between which the word “or” stands. */
const ALTERNATIVES = 'names'
const OR = ' or '

/** Longer texts are documents, not messages. */
const MAX_MESSAGE_LENGTH = 2_000

type Pattern = {
  readonly names: readonly string[]
  /** The fixed parts: before the first value, between two, and after the last. */
  readonly fixed: readonly string[]
  /** The number of fixed letters: the pattern with the most is the closest. */
  readonly weight: number
  readonly translation: string
}

export class MessageTable {
  readonly #exact = new Map<string, string>()
  readonly #patterns: Pattern[] = []

  constructor(translations: Readonly<Record<string, string>>) {
    for (const [key, translation] of Object.entries(translations)) {
      const names = [...key.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
      if (names.length === 0) this.#exact.set(key, translation)
      else {
        const fixed = key.split(/\{\w+\}/)
        this.#patterns.push({ names, fixed, weight: fixed.join('').length, translation })
      }
    }
    this.#patterns.sort((a, b) => b.weight - a.weight)
  }

  /** The translation of a sentence. Null when there is none. */
  find(english: string): string | null {
    if (english.length > MAX_MESSAGE_LENGTH) return null
    const exact = this.#exact.get(english)
    if (exact !== undefined) return exact
    for (const pattern of this.#patterns) {
      const values = valuesIn(english, pattern.fixed)
      if (values !== null) return this.#fillIn(pattern, values)
    }
    return null
  }

  #fillIn({ names, translation }: Pattern, values: readonly string[]): string {
    return translation.replace(/\{(\w+)\}/g, (place, name: string) => {
      const value = values[names.indexOf(name)] ?? place
      if (name === ALTERNATIVES) return value.split(OR).join(this.#translateWords(OR))
      return WORD_PLACES.has(name) ? this.#translateWords(value) : value
    })
  }

  #translateWords(words: string): string {
    return words
      .split(', ')
      .map((word) => this.find(VALUE + word) ?? word)
      .join(', ')
  }
}

/** The values between the fixed parts of a sentence. Null when it is another sentence. */
function valuesIn(text: string, fixed: readonly string[]): string[] | null {
  const [first = '', ...rest] = fixed
  if (!text.startsWith(first)) return null
  const values: string[] = []
  let at = first.length
  for (const [index, part] of rest.entries()) {
    const isLast = index === rest.length - 1
    const next = isLast ? text.length - part.length : part === '' ? -1 : text.indexOf(part, at)
    if (next < at || (isLast && !text.endsWith(part))) return null
    values.push(text.slice(at, next))
    at = next + part.length
  }
  return values
}
