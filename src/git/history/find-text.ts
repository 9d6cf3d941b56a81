/** Finds what `searchAdded` looks for in the bytes of one file. */
import {
  isBinary,
  secretMatcher,
  SecretMatcher,
  type SecretMatch,
} from '#lib/secrets/secret-matcher.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import type { SearchedFor } from '../ports.ts'
import { changedParts } from './changed-parts.ts'

export type FoundText = {
  readonly text: string
  /** Where it begins, in bytes. */
  readonly index: number
  /** What found a secret; null for a match of an expression. */
  readonly secret: { readonly match: SecretMatch; readonly matcher: SecretMatcher } | null
}

export type TextFinder = {
  find(data: Buffer): readonly FoundText[]
  /** Whether a file may have a match that the file it replaces has not. */
  mayAdd(file: Buffer, before: Buffer): boolean
  /** The matches that count in a file of this path. */
  select(found: readonly FoundText[], path: string): readonly FoundText[]
}

export function textFinder(search: SearchedFor): TextFinder {
  if ('matcher' in search) return secretFinder(search.custom ?? [], search.matcher)
  const pattern = new RegExp(search.pattern, 'g')
  return {
    find: (data) =>
      search.words.every((word) => data.indexOf(word) < 0)
        ? []
        : // Latin-1 maps each byte to one character, so the pattern works on any bytes.
          [...data.toString('latin1').matchAll(pattern)].map(({ 0: text, index }) => ({
            text,
            index,
            secret: null,
          })),
    // The word is enough: expressions are not told where a match begins.
    mayAdd: (data) => search.words.some((word) => data.indexOf(word) >= 0),
    select: (found) => found,
  }
}

const foundBy =
  (matcher: SecretMatcher) =>
  (match: SecretMatch): FoundText => ({
    text: match.secret,
    index: match.index,
    secret: { match, matcher },
  })

function secretFinder(custom: readonly SecretRule[], kind: 'secrets' | 'custom'): TextFinder {
  const matchers = [
    ...(kind === 'secrets' ? [secretMatcher()] : []),
    ...(custom.length === 0 ? [] : [new SecretMatcher(custom)]),
  ]
  return {
    find: (data) => matchers.flatMap((matcher) => matcher.find(data).map(foundBy(matcher))),
    mayAdd: (file, before) => {
      if (isBinary(before) && !isBinary(file)) return true
      const parts = changedParts(before, file)
      return matchers.some((matcher) => parts.some((part) => matcher.hasMatchNear(file, part)))
    },
    select: (found, path) =>
      matchers.flatMap((matcher) => {
        const matches = found.flatMap(({ secret }) =>
          secret?.matcher === matcher ? [secret.match] : [],
        )
        return matcher.select(matches, path).map(foundBy(matcher))
      }),
  }
}
