/** A rule with its expressions, which are compiled when they are first used. */
import { lazy } from '../lazy.ts'
import { FilterPattern } from './filter-pattern.ts'
import { GapSearch } from './gap-pattern.ts'
import { LinearPattern, type PatternMatch } from './linear-pattern.ts'
import { CompiledFilter } from './secret-filters.ts'
import type { SecretRule } from './secret-rules.ts'
import { WordAutomaton } from './word-automaton.ts'

/** The windows of a rule whose matches have no bound. */
export const UNBOUNDED = { before: 600, after: 8 * 1024 }
/** What the beginning of such a match can be followed by, blanks among it. */
const UNBOUNDED_BEGINNING = 1024

export type CompiledRule = {
  readonly rule: SecretRule
  readonly drops: readonly CompiledFilter[]
  readonly pathDrops: readonly CompiledFilter[]
  readonly path: FilterPattern | null
  readonly lead: () => RegExp | null
  /** The width of windows before and after a word. */
  readonly before: number
  readonly after: number
  /** Whether it is tried at its anchors. If not, it is matched in windows. */
  readonly isAnchored: boolean
  /** The bytes after the beginning of a match that `beginning` may read. */
  readonly reach: number
  /** Matches the beginning of a match at the position that it is given: all of it unless `isOpen`. */
  readonly beginning: () => RegExp
  readonly isOpen: boolean
  /** Matches a whole match at a position. */
  readonly sticky: () => RegExp
  /** Searches a text for a rule whose matches have a gap; null for other rules. */
  readonly searchGaps: ((text: string) => GapSearch) | null
  /** The matches in a text. */
  readonly matchAll: (text: string) => Iterable<PatternMatch>
  /** Whether one of its words stands anywhere in a file. */
  readonly hasWord: (bytes: Buffer) => boolean
}

export function compileRule(rule: SecretRule): CompiledRule {
  const { gap, lead, maxBytes, pattern } = rule
  const drops = (rule.drops ?? []).map((drop) => new CompiledFilter(drop))
  const sticky = lazy(() => new RegExp(pattern, 'y'))
  const { beginning } = rule
  const words = lazy(() => new WordAutomaton(rule.words))
  return {
    rule,
    drops: drops.filter((drop) => !drop.isOfPath),
    pathDrops: drops.filter((drop) => drop.isOfPath),
    path: rule.path === undefined ? null : new FilterPattern(rule.path),
    lead: lazy(() => (lead === undefined ? null : new RegExp(lead))),
    // One byte more on each side, for `\b` and the like.
    before: maxBytes === undefined ? UNBOUNDED.before : maxBytes + 1,
    after: maxBytes === undefined ? UNBOUNDED.after : maxBytes + 1,
    isAnchored: rule.anchors !== undefined,
    reach: maxBytes === undefined ? UNBOUNDED_BEGINNING : maxBytes + 1,
    beginning: beginning === undefined ? sticky : lazy(() => new RegExp(beginning, 'y')),
    isOpen: maxBytes === undefined,
    sticky,
    searchGaps: gap ? (text) => new GapSearch(text, pattern, gap) : null,
    matchAll: gap
      ? (text) => new GapSearch(text, pattern, gap).matchAll()
      : rule.linear
        ? linearPattern(pattern)
        : nativePattern(pattern),
    hasWord: (bytes) => {
      let isFound = false
      words().scan(bytes, () => (isFound = true))
      return isFound
    },
  }
}

function linearPattern(source: string): CompiledRule['matchAll'] {
  const pattern = lazy(() => new LinearPattern(source))
  return (text) => pattern().matchAll(text)
}

function nativePattern(source: string): CompiledRule['matchAll'] {
  const pattern = lazy(() => new RegExp(source, 'g'))
  return function* (text) {
    for (const found of text.matchAll(pattern()))
      yield { index: found.index, groups: found as readonly string[] }
  }
}

/** What of a match is the secret. */
export function secretOf({ group }: SecretRule, groups: readonly string[]): string {
  if (group !== undefined) return groups[group] ?? ''
  for (let at = 1; at < groups.length; at++) if (groups[at]) return groups[at] ?? ''
  return groups[0] ?? ''
}
