/** Decides which matches of a rule are no secrets. */
import { lazy } from '../lazy.ts'
import { FilterPattern } from './filter-pattern.ts'
import type { SecretFilter } from './secret-rules.ts'
import { WordAutomaton } from './word-automaton.ts'

export type Candidate = {
  readonly secret: string
  readonly match: string
  /** The lines of the match. */
  readonly lines: () => string
}

/** A filter with its expressions compiled. */
export class CompiledFilter {
  private readonly patterns: readonly FilterPattern[]
  /** Made when it is first used: some filters have more than a thousand words. */
  private readonly words: () => WordAutomaton

  constructor(private readonly filter: SecretFilter) {
    this.patterns =
      'matches' in filter ? filter.matches.map((source) => new FilterPattern(source)) : []
    this.words = lazy(() => new WordAutomaton('contains' in filter ? filter.contains : []))
  }

  /** Whether it needs the path of the file. */
  get isOfPath(): boolean {
    return 'on' in this.filter && this.filter.on === 'path'
  }

  drops({ secret, match, lines }: Candidate): boolean {
    const { filter } = this
    if ('entropy' in filter) {
      const entropy = entropyOf(secret)
      return filter.orEqual ? entropy <= filter.entropy : entropy < filter.entropy
    }
    if (filter.on === 'line') return this.holds(lines())
    return this.holds(filter.on === 'match' ? match : secret)
  }

  dropsPath(path: string): boolean {
    return this.holds(path)
  }

  private holds(text: string): boolean {
    const { filter } = this
    if ('contains' in filter) {
      let isFound = false
      this.words().scan(Buffer.from(text), () => (isFound = true))
      return isFound
    }
    const isMatch = this.patterns.some((pattern) => pattern.test(text))
    return 'not' in filter && filter.not === true ? !isMatch : isMatch
  }
}

/** All 0 between two calls. */
const counts = new Uint32Array(256)

/** The entropy of a text of Latin-1 in bits per character (Shannon). */
export function entropyOf(text: string): number {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & 255
    counts[code] = (counts[code] as number) + 1
  }
  let entropy = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at) & 255
    const count = counts[code] as number
    if (count === 0) continue
    counts[code] = 0
    const share = count / text.length
    entropy -= share * Math.log2(share)
  }
  return entropy
}
