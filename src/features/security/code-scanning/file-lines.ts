/** The lines of an analysed commit: which files results name, and hashes that identify their lines. */
import type { Hearth } from '#core/hearth.ts'
import type { Oid } from '#git'
import { sarifThread } from './sarif/sarif-thread.ts'
import type { SarifResult } from './sarif/read-sarif.ts'

/** A result in a file of the repository. */
export type PlacedResult = {
  readonly result: SarifResult
  readonly path: string
  readonly line: number
  readonly end_line: number
  readonly hash: string
  readonly blob: Oid | null
}

const MAX_FILES = 5_000
const MAX_FILE_BYTES = 8 * 1024 ** 2
const MAX_TOTAL_BYTES = 64 * 1024 ** 2

/**
 * Finds the file of an absolute path: the longest end of it that is a path of the tree. Scanners
 * name files by where a runner had checked them out.
 */
export class PathEnds {
  readonly #paths: ReadonlySet<string>

  constructor(paths: Iterable<string>) {
    this.#paths = new Set(paths)
  }

  find(absolute: string): string | null {
    for (let at = 0; at !== -1; ) {
      const end = absolute.slice(at)
      if (this.#paths.has(end)) return end
      const slash = absolute.indexOf('/', at)
      at = slash === -1 ? -1 : slash + 1
    }
    return null
  }
}

async function treePaths(hearth: Hearth, store: string, commit: Oid): Promise<PathEnds> {
  const entries = await hearth.git.listTree(store, commit, '', { recursive: true })
  return new PathEnds((entries ?? []).flatMap(({ type, path }) => (type === 'file' ? path : [])))
}

/** Names a line whose file is not there by what the result says of it. */
const hashOfMessage = ({ fingerprint, message }: SarifResult): string =>
  fingerprint ?? `m${new Bun.CryptoHasher('sha256').update(message).digest('hex').slice(0, 16)}`

type Source = { readonly store: string; readonly commit: Oid | null; readonly caller: string }

/** Hashes the lines of one file. */
async function placeInFile(
  hearth: Hearth,
  source: Source,
  path: string,
  results: readonly SarifResult[],
  readBytes: number,
): Promise<{ placed: PlacedResult[]; bytes: number }> {
  const entry =
    source.commit === null ? null : await hearth.git.findEntry(source.store, source.commit, path)
  const blob =
    entry?.type === 'file' && readBytes < MAX_TOTAL_BYTES
      ? await hearth.git.readBlob(source.store, entry.oid, MAX_FILE_BYTES)
      : null
  const isWhole = blob !== null && blob.size <= MAX_FILE_BYTES
  const hashed = isWhole
    ? await sarifThread(hearth).hashLines(
        source.caller,
        blob.data,
        results.map(({ region }) => ({ line: region.line, offset: region.offset })),
      )
    : []
  const placed = results.map((result, index): PlacedResult => {
    const found = hashed[index]
    const line = found?.line ?? result.region.line
    return {
      result,
      path,
      line,
      end_line: Math.max(line, result.region.end_line),
      hash: found?.hash ?? hashOfMessage(result),
      blob: entry?.type === 'file' ? entry.oid : null,
    }
  })
  return { placed, bytes: isWhole ? blob.size : 0 }
}

/** Places results in the files of a commit. Those that name no file of it are counted. */
export async function placeResults(
  hearth: Hearth,
  source: Source,
  results: readonly SarifResult[],
  signal: AbortSignal,
): Promise<{ placed: PlacedResult[]; unplaced: number }> {
  const byPath = new Map<string, SarifResult[]>()
  let ends: PathEnds | null = null
  let unplaced = 0
  for (const result of results) {
    let path: string | null = null
    if ('path' in result.place) path = result.place.path
    else if (source.commit !== null) {
      ends ??= await treePaths(hearth, source.store, source.commit)
      path = ends.find(result.place.absolute)
    }
    if (path === null || (!byPath.has(path) && byPath.size >= MAX_FILES)) {
      unplaced++
      continue
    }
    const known = byPath.get(path)
    if (known) known.push(result)
    else byPath.set(path, [result])
  }
  const placed: PlacedResult[] = []
  let bytes = 0
  for (const [path, inFile] of byPath) {
    signal.throwIfAborted()
    const found = await placeInFile(hearth, source, path, inFile, bytes)
    bytes += found.bytes
    placed.push(...found.placed)
  }
  return { placed, unplaced }
}
