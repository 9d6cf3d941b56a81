/** Patterns as rules of the matcher. */
import type { Db } from '#core/db.ts'
import { invalid } from '#lib/errors.ts'
import { LinearPattern } from '#lib/secrets/linear-pattern.ts'
import { MIN_WORD_LENGTH, requiredWord } from '#lib/secrets/required-word.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import { listEnabledPatterns, type PatternRow } from './store.ts'

/** Steps of the compiled expression; the time of a match is these times the characters. */
const MAX_PROGRAM_SIZE = 500

/** Throws 422 for an expression that cannot be read, is too large, or is in too many files. */
export function requireSource(source: string): string {
  // The matcher reads bytes, of which other characters have several.
  if (!/^[\x20-\x7e]*$/.test(source))
    throw invalid('pattern', 'pattern must consist of printable ASCII characters')
  let pattern: LinearPattern
  try {
    pattern = new LinearPattern(source)
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it cannot be read'
    throw invalid(
      'pattern',
      `pattern is not an RE2 expression: ${why.replace(/^error parsing regexp: /, '')}`,
    )
  }
  if (pattern.size > MAX_PROGRAM_SIZE)
    throw invalid(
      'pattern',
      `pattern is too large: its repetitions make ${pattern.size} steps, and ${MAX_PROGRAM_SIZE} are allowed`,
    )
  if (requiredWord(source) === null)
    throw invalid(
      'pattern',
      `pattern needs a text of at least ${MIN_WORD_LENGTH} characters outside of groups and alternatives, such as acme_ in acme_[a-z0-9]{32}`,
    )
  return source
}

const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** The type of the alerts of a pattern. It never is that of a format of the forge. */
export const typeOfPattern = ({ id, name }: Pick<PatternRow, 'id' | 'name'>): string =>
  `custom-${slugOf(name) || id}`

export const ruleOfPattern = (row: PatternRow): SecretRule => ({
  id: typeOfPattern(row),
  label: row.name,
  pattern: row.pattern,
  words: [requiredWord(row.pattern) ?? ''].filter((word) => word !== ''),
  refused: row.push_protection === 1,
  linear: true,
  custom: true,
})

export const rulesOfRepo = (
  db: Db,
  repo: { readonly id: string; readonly workspace_id: string },
): SecretRule[] => listEnabledPatterns(db, repo).map(ruleOfPattern)
