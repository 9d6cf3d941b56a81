/**
 * Matchers for the terms of a code search: what the index can tell about a term, and how to find it
 * in a chunk.
 */
import { pieceRegExp } from './highlight.ts'
import { LineExpression } from './pattern.ts'
import { requiredTextOf } from './required-text.ts'
import type { FindRequest } from './find-request.ts'
import type { ChunkTexts } from './chunk-texts.ts'
import { trigramQuery, type RequiredText } from './trigrams.ts'

export type TextMatcher = {
  /** The index query that finds candidates; null when the index cannot help. */
  readonly indexQuery: string | null
  /** Counts the matches in a chunk, up to `most`; null when counting would take too long. */
  countIn(texts: ChunkTexts, chunk: number, most: number): number | null
  /** Returns the positions of the first `most` matches in a text. */
  findIn(text: string, most: number): [number, number][]
}

function literalMatcher(text: string, exactCase: boolean): TextMatcher {
  const pattern = pieceRegExp(text, exactCase)
  const isAscii = !/[^\0-\x7f]/.test(text)
  return {
    indexQuery: trigramQuery({ piece: text } satisfies RequiredText),
    countIn(texts, chunk, most) {
      const content = isAscii ? texts.readBytes(chunk) : texts.readText(chunk)
      let times = 0
      pattern.lastIndex = 0
      while (times < most && pattern.test(content)) times++
      return times
    },
    findIn(content, most) {
      const found: [number, number][] = []
      pattern.lastIndex = 0
      for (
        let match = pattern.exec(content);
        match && found.length < most;
        match = pattern.exec(content)
      )
        found.push([match.index, match.index + match[0].length])
      return found
    },
  }
}

function regexMatcher(source: string, exactCase: boolean): TextMatcher {
  const pattern = new LineExpression(source, exactCase)
  return {
    indexQuery: trigramQuery(requiredTextOf(source)),
    countIn(texts, chunk) {
      const found = pattern.isFoundIn(texts.readBytes(chunk))
      return found === null ? null : Number(found)
    },
    findIn: (text, most) => pattern.findIn(text, most),
  }
}

export type TextMatchers = {
  readonly wanted: readonly TextMatcher[]
  readonly unwanted: readonly TextMatcher[]
}

export function createMatchers({ terms, filters }: FindRequest): TextMatchers {
  const asks = (not: boolean): TextMatcher[] => [
    ...terms
      .filter((term) => term.not === not)
      .map(({ text }) => literalMatcher(text, filters.exactCase)),
    ...filters.regexes
      .filter((one) => one.not === not)
      .map(({ source }) => regexMatcher(source, filters.exactCase)),
  ]
  return { wanted: asks(false), unwanted: asks(true) }
}
