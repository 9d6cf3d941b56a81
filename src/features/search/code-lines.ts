/** What a result shows of a file: the matching lines, and the symbols that the file defines. */
import type { DatabaseHandle } from '#core/db.ts'
import type { CodeFile } from './find-code.ts'
import { createMatchers, type TextMatcher } from './matchers.ts'
import { highlightExcerpt, type Span } from './highlight.ts'
import type { CodeHit, CodeLine, FindRequest } from './find-request.ts'
import { listChunksOfBlob, findFirstLine, listSymbols } from './store-queries.ts'
import type { SymbolKind } from './symbol-table.ts'
import type { ChunkTexts } from './chunk-texts.ts'

const MAX_LINES = 8
const MAX_LINE_LENGTH = 240
const MAX_SYMBOLS = 10
const MAX_SCANNED_SYMBOLS = 200
/** Matches per term that are examined to choose the lines with the most terms. */
const MAX_MATCHES_PER_TERM = 100

type MatchedLine = {
  readonly number: number
  readonly content: string
  readonly spans: Span[]
  readonly of: Set<number>
}

/** Returns the lines of a chunk in which a match starts. */
function findMatchedLines(
  text: string,
  first: number,
  wanted: readonly TextMatcher[],
): MatchedLine[] {
  const places = wanted
    .flatMap((ask, of) =>
      ask.findIn(text, MAX_MATCHES_PER_TERM).map(([from, to]) => ({ from, to, of })),
    )
    .sort((a, b) => a.from - b.from)
  const lines: MatchedLine[] = []
  let number = first
  let start = 0
  let last: { line: MatchedLine; start: number } | null = null
  for (const { from, to, of } of places) {
    for (
      let end = text.indexOf('\n', start);
      end >= 0 && end < from;
      end = text.indexOf('\n', start)
    ) {
      start = end + 1
      number++
    }
    if (last?.line.number !== number) {
      const end = text.indexOf('\n', start)
      const line: MatchedLine = {
        number,
        content: text.slice(start, end < 0 ? undefined : end).replace(/\r$/, ''),
        spans: [],
        of: new Set(),
      }
      lines.push(line)
      last = { line, start }
    }
    last.line.spans.push([from - last.start, Math.min(to - last.start, last.line.content.length)])
    last.line.of.add(of)
  }
  return lines
}

/** Lists the chunks of a file that may contain a match. */
const chunksFor = (db: DatabaseHandle, { blob, chunks }: CodeFile): number[] =>
  chunks.includes(null)
    ? listChunksOfBlob(db, blob)
    : [...new Set(chunks.flatMap((ids) => ids ?? []))].sort((a, b) => a - b)

/** Chooses the lines that match the most terms, and returns them in line order. */
const chooseLines = (lines: readonly MatchedLine[]): CodeLine[] =>
  lines
    .toSorted((a, b) => b.of.size - a.of.size || a.number - b.number)
    .slice(0, MAX_LINES)
    .sort((a, b) => a.number - b.number)
    .map(({ number, content, spans }) => ({
      number,
      parts: highlightExcerpt(content, spans, MAX_LINE_LENGTH),
    }))

/** Returns the lines that define symbols, for queries without a text term. */
function definitionLines(
  db: DatabaseHandle,
  texts: ChunkTexts,
  blob: number,
  symbols: readonly { readonly name: string; readonly line: number }[],
): MatchedLine[] {
  const chunks = listChunksOfBlob(db, blob).map((id) => ({ id, line: findFirstLine(db, id) }))
  return symbols.flatMap(({ name, line }): MatchedLine[] => {
    const chunk = chunks.findLast((one) => one.line <= line)
    const content =
      chunk && texts.readText(chunk.id).split('\n')[line - chunk.line]?.replace(/\r$/, '')
    if (content === undefined) return []
    const at = content.indexOf(name)
    return [
      { number: line, content, spans: at < 0 ? [] : [[at, at + name.length]], of: new Set([0]) },
    ]
  })
}

export function codeHit(
  db: DatabaseHandle,
  texts: ChunkTexts,
  file: CodeFile,
  request: FindRequest,
  defaultBranch: string,
): CodeHit {
  const { wanted } = createMatchers(request)
  const wantedTexts = request.terms.filter(({ not }) => !not).map(({ text }) => text.toLowerCase())
  const asked = request.filters.symbols
    .filter(({ not }) => !not)
    .map(({ name }) => name.toLowerCase())
  const rank = (name: string): number =>
    wantedTexts.includes(name) || asked.includes(name) ? 0 : 1
  const symbols = (
    wantedTexts.length + asked.length === 0
      ? []
      : listSymbols(db, file.blob, [...wantedTexts, ...asked], MAX_SCANNED_SYMBOLS)
  )
    .sort((a, b) => rank(a.name.toLowerCase()) - rank(b.name.toLowerCase()) || a.line - b.line)
    .slice(0, MAX_SYMBOLS)
    .map(({ name, kind, line }) => ({ name, kind: kind as SymbolKind, line }))
  const lines =
    wanted.length > 0
      ? chunksFor(db, file).flatMap((chunk) =>
          findMatchedLines(texts.readText(chunk), findFirstLine(db, chunk), wanted),
        )
      : definitionLines(db, texts, file.blob, symbols)
  return {
    repo_id: file.tree.repo_id,
    path: file.path,
    commit: file.tree.commit_oid ?? '',
    ref: file.tree.ref === '' ? defaultBranch : file.tree.ref,
    language: file.language,
    matches: chooseLines(lines),
    symbols,
  }
}
