/**
 * What is shown of a file that was found: the lines, with what was found in them, and the names
 * that are defined there.
 */
import type { DatabaseHandle } from '#core/db.ts'
import type { CodeFile } from './find-code.ts'
import { lookFor, type Ask } from './look.ts'
import { excerptOf, type Span } from './parts.ts'
import type { CodeHit, CodeLine, FindRequest } from './request.ts'
import { chunksOfBlob, lineOfChunk, listSymbols } from './store-find.ts'
import type { SymbolKind } from './symbol-table.ts'
import { textOf } from './texts.ts'

const MOST_LINES = 8
const LONGEST_LINE = 240
const MOST_SYMBOLS = 10
const SYMBOLS_LOOKED_AT = 200
/** Of each thing, looked at to choose the lines that hold most of what was asked. */
const MOST_PLACES = 100

type Line = {
  readonly number: number
  readonly content: string
  readonly spans: Span[]
  readonly of: Set<number>
}

/** The lines of a chunk in which something begins. */
function linesIn(text: string, first: number, wanted: readonly Ask[]): Line[] {
  const places = wanted
    .flatMap((ask, of) => ask.places(text, MOST_PLACES).map(([from, to]) => ({ from, to, of })))
    .sort((a, b) => a.from - b.from)
  const lines: Line[] = []
  let number = first
  let start = 0
  let last: { line: Line; start: number } | null = null
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
      const line: Line = {
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

/** The chunks of a file that may hold something that is looked for. */
const chunksFor = (db: DatabaseHandle, { blob, chunks }: CodeFile): number[] =>
  chunks.includes(null)
    ? chunksOfBlob(db, blob)
    : [...new Set(chunks.flatMap((ids) => ids ?? []))].sort((a, b) => a - b)

/** First those lines that hold most of what was asked; shown in their order. */
const chosen = (lines: readonly Line[]): CodeLine[] =>
  lines
    .toSorted((a, b) => b.of.size - a.of.size || a.number - b.number)
    .slice(0, MOST_LINES)
    .sort((a, b) => a.number - b.number)
    .map(({ number, content, spans }) => ({
      number,
      parts: excerptOf(content, spans, LONGEST_LINE),
    }))

/** The lines that define names; asked for when nothing else was. */
function definitions(
  db: DatabaseHandle,
  blob: number,
  symbols: readonly { readonly name: string; readonly line: number }[],
): Line[] {
  const chunks = chunksOfBlob(db, blob).map((id) => ({ id, line: lineOfChunk(db, id) }))
  return symbols.flatMap(({ name, line }): Line[] => {
    const chunk = chunks.findLast((one) => one.line <= line)
    const content = chunk && textOf(db, chunk.id).split('\n')[line - chunk.line]?.replace(/\r$/, '')
    if (content === undefined) return []
    const at = content.indexOf(name)
    return [
      { number: line, content, spans: at < 0 ? [] : [[at, at + name.length]], of: new Set([0]) },
    ]
  })
}

export function showFile(
  db: DatabaseHandle,
  file: CodeFile,
  request: FindRequest,
  defaultBranch: string,
): CodeHit {
  const { wanted } = lookFor(request)
  const texts = request.terms.filter(({ not }) => !not).map(({ text }) => text.toLowerCase())
  const asked = request.filters.symbols
    .filter(({ not }) => !not)
    .map(({ name }) => name.toLowerCase())
  const rank = (name: string): number => (texts.includes(name) || asked.includes(name) ? 0 : 1)
  const symbols = (
    texts.length + asked.length === 0
      ? []
      : listSymbols(db, file.blob, [...texts, ...asked], SYMBOLS_LOOKED_AT)
  )
    .sort((a, b) => rank(a.name.toLowerCase()) - rank(b.name.toLowerCase()) || a.line - b.line)
    .slice(0, MOST_SYMBOLS)
    .map(({ name, kind, line }) => ({ name, kind: kind as SymbolKind, line }))
  const lines =
    wanted.length > 0
      ? chunksFor(db, file).flatMap((chunk) =>
          linesIn(textOf(db, chunk), lineOfChunk(db, chunk), wanted),
        )
      : definitions(db, file.blob, symbols)
  return {
    repo_id: file.tree.repo_id,
    path: file.path,
    commit: file.tree.commit_oid ?? '',
    ref: file.tree.ref === '' ? defaultBranch : file.tree.ref,
    language: file.language,
    matches: chosen(lines),
    symbols,
  }
}
