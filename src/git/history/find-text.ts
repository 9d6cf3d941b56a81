/** Finds what `searchAdded` looks for in the bytes of one file. */
import {
  isBinary,
  secretMatcher,
  SecretMatcher,
  type SecretMatch,
} from '#lib/secrets/secret-matcher.ts'
import type { SecretRule } from '#lib/secrets/secret-rules.ts'
import type { Oid, SearchedFor } from '../ports.ts'
import { changedParts, type ChangedPart } from './changed-parts.ts'

export type FoundText = {
  readonly text: string
  /** Where it begins, in bytes. */
  readonly index: number
  /** What found a secret; null for a match of an expression. */
  readonly secret: { readonly match: SecretMatch; readonly matcher: SecretMatcher } | null
}

export type FileVersion = { readonly oid: Oid; readonly data: Buffer }

export type TextFinder = {
  find(data: Buffer): readonly FoundText[]
  /** Whether a file may have a match that the file it replaces has not. */
  mayAdd(file: FileVersion, before: FileVersion): boolean
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
    mayAdd: ({ data }) => search.words.some((word) => data.indexOf(word) >= 0),
    select: (found) => found,
  }
}

/** Versions of files whose distant rules are remembered. */
const MAX_VERSIONS = 1 << 17

/**
 * The rules of each file whose word may stand far from a match. They are looked for in one version
 * of a file, and of the others only in what differs, so the result may have some too many.
 */
class DistantRules {
  private readonly known = new Map<Oid, readonly number[]>()
  constructor(private readonly matcher: SecretMatcher) {}

  /** The distant rules of a file, which are remembered for it and the file that it replaces. */
  ofPair(file: FileVersion, before: FileVersion, parts: readonly ChangedPart[]): readonly number[] {
    const known = this.known.get(file.oid)
    if (known) {
      this.learn(before.oid, known, before.data, changedParts(file.data, before.data))
      return known
    }
    const ofBefore = this.known.get(before.oid)
    if (ofBefore) return this.learn(file.oid, ofBefore, file.data, parts)
    const rules = this.matcher.distantRules(file.data, { start: 0, end: file.data.length })
    this.known.set(file.oid, rules)
    this.learn(before.oid, rules, before.data, changedParts(file.data, before.data))
    return rules
  }

  private learn(
    oid: Oid,
    ofOther: readonly number[],
    data: Buffer,
    parts: readonly ChangedPart[],
  ): readonly number[] {
    if (this.known.size >= MAX_VERSIONS) this.known.clear()
    const own = parts.flatMap((part) => this.matcher.distantRules(data, part))
    const rules = own.every((rule) => ofOther.includes(rule))
      ? ofOther
      : [...new Set([...own, ...ofOther])]
    this.known.set(oid, rules)
    return rules
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
  const distantRules = matchers.map((matcher) => new DistantRules(matcher))
  return {
    find: (data) => matchers.flatMap((matcher) => matcher.find(data).map(foundBy(matcher))),
    mayAdd: (file, before) => {
      if (isBinary(before.data) && !isBinary(file.data)) return true
      const parts = changedParts(before.data, file.data)
      return matchers.some((matcher, at) => {
        const distant = distantRules[at]?.ofPair(file, before, parts) ?? []
        return parts.some((part) => matcher.hasMatchNear(file.data, part, distant))
      })
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
