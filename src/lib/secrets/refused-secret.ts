/**
 * Finds secrets in texts, on the thread that has them: only the formats that push protection refuses,
 * each of which begins with a literal of its issuer, so that the time is short.
 */
import { lazy } from '../lazy.ts'
import { SecretMatcher, type SecretMatch } from './secret-matcher.ts'
import { secretRules } from './secret-rules.ts'
import { WordAutomaton } from './word-automaton.ts'

const refusedMatcher = lazy(() => new SecretMatcher(secretRules().filter((rule) => rule.refused)))

/** A label as part of a sentence: "a GitHub token". */
export const withArticle = (label: string): string =>
  `${/^(?:[aeiouAEIOU]|npm)/.test(label) ? 'an' : 'a'} ${label}`

/** The refused secrets in the bytes of a text. */
export function findRefusedSecrets(bytes: Uint8Array): SecretMatch[] {
  const matcher = refusedMatcher()
  return matcher.select(matcher.find(bytes), null)
}

/** What a refusal calls the first refused secret in a text; null when there is none. */
export function nameOfSecret(text: string): string | null {
  const [found] = findRefusedSecrets(Buffer.from(text))
  return found === undefined ? null : withArticle(found.rule.label)
}

const allWords = lazy(
  () => new WordAutomaton([...new Set(secretRules().flatMap(({ words }) => words))]),
)

/** Whether a text has a word that some rule needs. Only such a text can hold a secret. */
export function mayHoldSecret(text: string): boolean {
  let isFound = false
  allWords().scan(Buffer.from(text), () => (isFound = true))
  return isFound
}
