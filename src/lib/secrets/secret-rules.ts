/**
 * The formats of secrets that the forge looks for: those of `secret-formats.ts`, then the rules of
 * `secret-rules.json`, which `scripts/update-secret-rules.ts` translates. Expressions match
 * bytes as Latin-1.
 */
import rulesText from './secret-rules.json' with { type: 'text' }
import { lazy } from '../lazy.ts'
import { SECRET_FORMATS } from '../secret-formats.ts'
import type { Gap } from './gap-pattern.ts'

/** Drops a finding: too little entropy, or a text of the finding that matches or contains one of these. */
export type SecretFilter =
  | { readonly entropy: number; readonly orEqual: boolean }
  | {
      readonly on: 'secret' | 'match' | 'line' | 'path'
      readonly matches: readonly string[]
      readonly not?: boolean
    }
  | { readonly on: 'secret' | 'match' | 'path'; readonly contains: readonly string[] }

export type SecretRule = {
  readonly id: string
  /** What people read, such as "GitHub token". */
  readonly label: string
  readonly pattern: string
  /** Strings in lower case, one of which every file with a match contains. */
  readonly words: readonly string[]
  /**
   * Texts in lower case, one of which stands in every match, and the most bytes of the match before
   * each. Without them, the words open windows as wide as a match can be.
   */
  readonly anchors?: Readonly<Record<string, number>>
  /** Words in every match of a rule without anchors whose `words` may stand outside. */
  readonly inside?: readonly string[]
  /**
   * For a rule whose matches may have many lines: texts one of which stands in every match, in the
   * case in which people write them.
   */
  readonly far?: readonly string[]
  /** What every match begins with, as an expression without a bound only for blanks. */
  readonly beginning?: string
  /** The most bytes of a match; no bound when it is left out. */
  readonly maxBytes?: number
  /** Of a rule without such a bound, the most line feeds of a match, when they have one. */
  readonly lines?: number
  /** Whether the word may stand outside of the match, anywhere in the file. */
  readonly whole?: boolean
  /** The group that is the secret; the first one that matched when it is left out. */
  readonly group?: number
  /** Only files whose path matches. */
  readonly path?: string
  readonly drops?: readonly SecretFilter[]
  /** Findings of other rules that have to be in the same file, and how near. */
  readonly needs?: readonly { readonly id: string; readonly lines?: number }[]
  /** Only looked for because another rule needs it. */
  readonly hidden?: boolean
  /** Whether push protection refuses it; the others become alerts only. */
  readonly refused?: boolean
  /** What a match goes on with to the left, which only its filters read: an expression up to the end. */
  readonly lead?: string
  /** What matches begin with, some lines before what `pattern` matches. */
  readonly gap?: Gap
  /** An expression in the syntax of RE2, whose time is linear whatever it is. */
  readonly linear?: boolean
  /** A format of people, to which no filter applies. */
  readonly custom?: boolean
  /** A format of this forge, which has precedence over translated rules. */
  readonly own?: boolean
}

export type SecretRules = {
  readonly license: string
  readonly skippedPaths: readonly string[]
  /** For every rule but those of this forge. */
  readonly drops: readonly SecretFilter[]
  readonly rules: readonly SecretRule[]
}

/** No refused format of this forge is longer. */
const MAX_OWN_BYTES = 1100
/** As in `https://hooks.slack.com`. */
const MAX_BYTES_BEFORE_OWN_WORD = 8

const OWN_RULES: readonly SecretRule[] = SECRET_FORMATS.flatMap(({ type, pattern, refused }) =>
  refused === null
    ? []
    : [
        {
          id: type,
          label: refused.name,
          pattern: pattern.source,
          words: refused.words.map((word) => word.toLowerCase()),
          anchors: Object.fromEntries(
            refused.words.map((word) => [word.toLowerCase(), MAX_BYTES_BEFORE_OWN_WORD]),
          ),
          maxBytes: MAX_OWN_BYTES,
          refused: true,
          own: true,
        },
      ],
)

/** Read at the first use: a start needs none of them. */
const translated = lazy(() => JSON.parse(rulesText as unknown as string) as SecretRules)

/** All rules, those with precedence first. */
export const secretRules: () => readonly SecretRule[] = lazy(() => [
  ...OWN_RULES,
  ...translated().rules,
])

/** Filters and paths that hold for all translated rules. */
export const commonFilters = (): Pick<SecretRules, 'skippedPaths' | 'drops'> => translated()
