/**
 * What is looked for in a file: each thing with what the index knows of it, and how it is found in
 * a chunk.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { pieceExpression } from './parts.ts'
import { expression } from './pattern.ts'
import { regexNeed } from './regex-need.ts'
import type { FindRequest } from './request.ts'
import { bytesOf, textOf } from './texts.ts'
import { trigramMatch, type Need } from './trigrams.ts'

export type Ask = {
  /** The question to the index; null where it cannot help. */
  readonly match: string | null
  /** How often it is in a chunk, counted up to `most`; null when looking would take too long. */
  times(db: DatabaseHandle, chunk: number, most: number): number | null
  /** Its places in a text, the first `most`. */
  places(text: string, most: number): [number, number][]
}

function ofPiece(text: string, exactCase: boolean): Ask {
  const pattern = pieceExpression(text, exactCase)
  const read = /[^\0-\x7f]/.test(text) ? textOf : bytesOf
  return {
    match: trigramMatch({ piece: text } satisfies Need),
    times(db, chunk, most) {
      const content = read(db, chunk)
      let times = 0
      pattern.lastIndex = 0
      while (times < most && pattern.test(content)) times++
      return times
    },
    places(content, most) {
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

function ofExpression(source: string, exactCase: boolean): Ask {
  const pattern = expression(source, exactCase)
  return {
    match: trigramMatch(regexNeed(source)),
    times(db, chunk) {
      const found = pattern.found(bytesOf(db, chunk))
      return found === null ? null : Number(found)
    },
    places: pattern.places,
  }
}

export type Look = { readonly wanted: readonly Ask[]; readonly unwanted: readonly Ask[] }

export function lookFor({ terms, filters }: FindRequest): Look {
  const asks = (not: boolean): Ask[] => [
    ...terms.filter((term) => term.not === not).map(({ text }) => ofPiece(text, filters.exactCase)),
    ...filters.regexes
      .filter((one) => one.not === not)
      .map(({ source }) => ofExpression(source, filters.exactCase)),
  ]
  return { wanted: asks(false), unwanted: asks(true) }
}
