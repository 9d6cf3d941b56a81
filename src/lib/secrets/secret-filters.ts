/** Decides which matches of a rule are no secrets. */
import type { SecretFilter } from './secret-rules.ts'

export type Candidate = { readonly secret: string; readonly match: string }

/** A filter with its expressions compiled. */
export class CompiledFilter {
  private readonly patterns: readonly RegExp[]
  constructor(private readonly filter: SecretFilter) {
    this.patterns = 'matches' in filter ? filter.matches.map((source) => new RegExp(source)) : []
  }

  /** Whether it needs the path of the file. */
  get isOfPath(): boolean {
    return 'on' in this.filter && this.filter.on === 'path'
  }

  drops({ secret, match }: Candidate): boolean {
    const { filter } = this
    if ('entropy' in filter) {
      const entropy = entropyOf(secret)
      return filter.orEqual ? entropy <= filter.entropy : entropy < filter.entropy
    }
    return this.holds(filter.on === 'match' ? match : secret)
  }

  dropsPath(path: string): boolean {
    return this.holds(path)
  }

  private holds(text: string): boolean {
    const { filter } = this
    if ('contains' in filter) {
      const folded = text.toLowerCase()
      return filter.contains.some((word) => folded.includes(word.toLowerCase()))
    }
    const isMatch = this.patterns.some((pattern) => pattern.test(text))
    return 'not' in filter && filter.not === true ? !isMatch : isMatch
  }
}

/** The entropy of a text in bits per character (Shannon). */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let entropy = 0
  for (const count of counts.values()) {
    const share = count / text.length
    entropy -= share * Math.log2(share)
  }
  return entropy
}
