/**
 * Finds files by their content. The trigram index returns candidate blobs. The files with these
 * blobs are checked against the caller's visibility and the filters, and only then is a text
 * decompressed and searched. So neither counts nor response times reveal files that the caller
 * cannot see.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { pathGlob } from '#lib/glob.ts'
import { blobOf } from './chunks.ts'
import type { ChunkTexts } from './chunk-texts.ts'
import type { Deadline } from './deadline.ts'
import { createMatchers, type TextMatchers } from './matchers.ts'
import { MAX_COUNTED, type FindRequest } from './find-request.ts'
import {
  listBlobsOfTree,
  listChunksOfBlob,
  findTreeRow,
  findVisibleRepo,
  findLastBlob,
  listBlobs,
  listChunks,
  listDefining,
  listFiles,
  listRepoIds,
  listTrees,
  repoConditions,
  type FileRow,
  type TreeRow,
  type SqlCondition,
  type VisibleRepo,
} from './store-queries.ts'

/** Number of blobs per index query; it doubles with each query. */
const MIN_STEP_BLOBS = 512
const MAX_STEP_BLOBS = 16_384
/**
 * For up to this many named repositories, the candidate blobs are known before the index is
 * queried.
 */
const MAX_NAMED_REPOS = 20
const MAX_DEFINITIONS = 5_000
/** More occurrences in one file do not improve its score. */
const MAX_OCCURRENCES = 8

export type CodeFile = {
  readonly blob: number
  readonly tree: TreeRow
  readonly path: string
  readonly language: string | null
  readonly score: number
  readonly at: string
  readonly chunks: CandidateBlob['chunks']
}

type CandidateChunks = readonly (readonly number[] | null)[]
/**
 * A blob that may match, with the chunks that may contain each wanted and each unwanted term; null
 * where the index cannot tell.
 */
type CandidateBlob = {
  readonly blob: number
  readonly chunks: CandidateChunks
  readonly unwanted: CandidateChunks
}

/**
 * Counts the matches of all wanted terms in a blob. Null when the blob does not match, and
 * undefined when matching would take too long.
 */
function countMatches(
  db: DatabaseHandle,
  texts: ChunkTexts,
  candidate: CandidateBlob,
  { wanted, unwanted }: TextMatchers,
): number | null | undefined {
  let all: number[] | null = null
  const every = (): number[] => (all ??= listChunksOfBlob(db, candidate.blob))
  let times = 0
  for (const [index, ask] of wanted.entries()) {
    let here = 0
    for (const chunk of candidate.chunks[index] ?? every()) {
      const found = ask.countIn(texts, chunk, MAX_OCCURRENCES)
      if (found === null) return undefined
      here = found
      // The count of the first chunk with a match is enough for the score.
      if (found > 0) break
    }
    if (here === 0) return null
    times += here
  }
  for (const [index, ask] of unwanted.entries()) {
    for (const chunk of candidate.unwanted[index] ?? every()) {
      const found = ask.countIn(texts, chunk, 1)
      if (found !== 0) return found === null ? undefined : null
    }
  }
  // Binary blobs have no chunks, and nothing can be said about their content.
  return wanted.length > 0 || every().length > 0 ? times : null
}

/**
 * Returns a test for a `path:` pattern. A pattern with wildcards must match the whole path, or only
 * the name when it has no slash. Other text must be contained in the path.
 */
function pathTest(pattern: string): (path: string) => boolean {
  if (!/[*?]/.test(pattern)) {
    const piece = pattern.toLowerCase()
    return piece.startsWith('/')
      ? (path) => path.toLowerCase().startsWith(piece.slice(1))
      : (path) => path.toLowerCase().includes(piece)
  }
  const { matches } = pathGlob(pattern)
  return pattern.includes('/') ? matches : (path) => matches(path.slice(path.lastIndexOf('/') + 1))
}

/** Finds the blobs that define all symbols of the query; null when the query names none. */
function findDefiningBlobs(
  db: DatabaseHandle,
  { filters }: FindRequest,
): { defined: Set<number> | null; notDefined: Set<number> } {
  const blobs = (name: string) =>
    new Set(
      listDefining(db, name, { open: true, limit: MAX_DEFINITIONS })
        .filter((row) => !filters.exactCase || row.name.startsWith(name))
        .map(({ blob }) => blob),
    )
  let defined: Set<number> | null = null
  const notDefined = new Set<number>()
  for (const { name, not } of filters.symbols) {
    const found = blobs(name)
    if (not) for (const blob of found) notDefined.add(blob)
    else defined = defined === null ? found : defined.intersection(found)
  }
  return { defined, notDefined }
}

const SECONDARY_PATHS =
  /(^|\/)(tests?|__tests__|specs?|fixtures?|testdata|vendor|third_party|node_modules|dist|examples?|docs?)\//i

/** The candidate blobs that the filters determine before the index is queried; null for all. */
function findScope(
  db: DatabaseHandle,
  { filters, scope }: FindRequest,
  repos: SqlCondition,
  defined: Set<number> | null,
): { blobs: Set<number> | null; incomplete: boolean } {
  const named =
    filters.repos !== null || filters.workspaces !== null || scope.onlyRepo !== null
      ? listRepoIds(db, repos, MAX_NAMED_REPOS + 1)
      : null
  if (named === null || named.length > MAX_NAMED_REPOS) return { blobs: defined, incomplete: false }
  if (named.length === 0) return { blobs: new Set(), incomplete: false }
  const ref = filters.branch ?? ''
  const trees = named.flatMap((repo_id) =>
    listTrees(db, repo_id).filter((tree) => tree.ref === ref),
  )
  const blobs = new Set(trees.flatMap(({ id }) => listBlobsOfTree(db, id)))
  return {
    blobs: defined === null ? blobs : defined.intersection(blobs),
    // A repository that is still being indexed may lack matches.
    incomplete: trees.some(({ done }) => done === 0),
  }
}

type AcceptedFile = { readonly tree: TreeRow; readonly path: string; readonly at: string }

/** Checks files against the filters and the caller's visibility. */
class FileFilter {
  readonly #repos = new Map<string, VisibleRepo | null>()
  readonly #trees = new Map<number, TreeRow | null>()
  readonly #paths: readonly { readonly test: (path: string) => boolean; readonly not: boolean }[]

  constructor(
    private readonly db: DatabaseHandle,
    private readonly request: FindRequest,
    private readonly visible: SqlCondition,
  ) {
    this.#paths = request.filters.paths.map(({ pattern, not }) => ({
      test: pathTest(pattern),
      not,
    }))
  }

  accept({ tree, dir, name, language, generated }: FileRow): AcceptedFile | null {
    const { filters, sort } = this.request
    if (generated === 1 && !filters.generated) return null
    const languageKey = language?.toLowerCase() ?? ''
    if (!filters.languages.every(({ values, not }) => values.includes(languageKey) !== not))
      return null
    const path = dir === '' ? name : `${dir}/${name}`
    if (!this.#paths.every(({ test, not }) => test(path) !== not)) return null
    const row = this.#findTree(tree)
    if (row === null || row.ref !== (filters.branch ?? '')) return null
    const repo = this.#findRepo(row.repo_id)
    if (repo === null) return null
    return { tree: row, path, at: (sort === 'created' ? repo.created_at : repo.pushed_at) ?? '' }
  }

  #findRepo(id: string): VisibleRepo | null {
    let repo = this.#repos.get(id)
    if (repo === undefined) this.#repos.set(id, (repo = findVisibleRepo(this.db, id, this.visible)))
    return repo
  }

  #findTree(id: number): TreeRow | null {
    let tree = this.#trees.get(id)
    if (tree === undefined) this.#trees.set(id, (tree = findTreeRow(this.db, id)))
    return tree
  }
}

/** Returns a function that scores a file with a number of matches. */
function fileScorer(
  db: DatabaseHandle,
  { terms }: FindRequest,
): (blob: number, path: string, matches: number) => number {
  const texts = terms.filter(({ not }) => !not).map(({ text }) => text)
  const definesExactly = new Set(
    texts.flatMap((name) =>
      listDefining(db, name, { open: false, limit: MAX_DEFINITIONS }).map(({ blob }) => blob),
    ),
  )
  return (blob, path, matches) => {
    const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    const inName = texts.some((text) => base.includes(text.toLowerCase()))
    return (
      (definesExactly.has(blob) ? 30 : 0) +
      (inName ? 12 : 0) +
      Math.min(matches, 12) -
      (SECONDARY_PATHS.test(path) ? 15 : 0) -
      path.split('/').length / 4
    )
  }
}

export function findCode(
  db: DatabaseHandle,
  texts: ChunkTexts,
  request: FindRequest,
  deadline: Deadline,
  type: 'code' | 'wiki' = 'code',
): { files: CodeFile[]; incomplete: boolean } {
  const { filters, scope, sort } = request
  const repos = repoConditions(type, scope, filters)
  const matchers = createMatchers(request)
  const { defined, notDefined } = findDefiningBlobs(db, request)
  const { blobs, incomplete: isIndexing } = findScope(db, request, repos, defined)
  let incomplete = isIndexing
  if (blobs?.size === 0) return { files: [], incomplete }
  const filter = new FileFilter(db, request, repos)
  const score = fileScorer(db, request)
  const files: CodeFile[] = []
  for (const step of listCandidates(db, matchers, blobs)) {
    const ids = step.map(({ blob }) => blob).filter((blob) => !notDefined.has(blob))
    const filesByBlob = Map.groupBy(listFiles(db, ids), ({ blob }) => blob)
    for (const candidate of step) {
      const { blob } = candidate
      const accepted = (filesByBlob.get(blob) ?? []).flatMap((row) => {
        const file = filter.accept(row)
        return file ? [{ ...file, language: row.language }] : []
      })
      if (accepted.length === 0) continue
      const matches = countMatches(db, texts, candidate, matchers)
      if (matches === undefined) incomplete = true
      if (matches === null || matches === undefined) continue
      for (const file of accepted)
        files.push({
          ...file,
          blob,
          score: score(blob, file.path, matches),
          chunks: candidate.chunks,
        })
      if (files.length > MAX_COUNTED || deadline.passed()) break
    }
    if (files.length > MAX_COUNTED) break
    if (deadline.passed()) {
      incomplete = true
      break
    }
  }
  if (sort === 'best') files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
  else files.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.score - a.score))
  return { files: files.slice(0, MAX_COUNTED), incomplete }
}

/** The range of blob ids to search: those after `after` up to `last`. */
function blobRange(
  db: DatabaseHandle,
  among: ReadonlySet<number> | null,
): { after: number; last: number } {
  if (among === null) return { after: 0, last: findLastBlob(db) }
  let [after, last] = [Number.MAX_SAFE_INTEGER, 0]
  for (const id of among) {
    last = Math.max(last, id)
    after = Math.min(after, id - 1)
  }
  return { after, last }
}

/** Yields candidate blobs in steps, in the order of their ids. */
function* listCandidates(
  db: DatabaseHandle,
  { wanted, unwanted }: TextMatchers,
  among: ReadonlySet<number> | null,
): Generator<CandidateBlob[]> {
  const range = blobRange(db, among)
  const { last } = range
  let { after } = range
  const unknown: CandidateChunks = wanted.map(() => null)
  const unknownToo: CandidateChunks = unwanted.map(() => null)
  if (among !== null && wanted.every(({ indexQuery: match }) => match === null)) {
    const ids = [...among].sort((a, b) => a - b)
    for (let at = 0; at < ids.length; at += MIN_STEP_BLOBS)
      yield ids
        .slice(at, at + MIN_STEP_BLOBS)
        .map((blob) => ({ blob, chunks: unknown, unwanted: unknownToo }))
    return
  }
  for (let step = MIN_STEP_BLOBS; after < last; step = Math.min(MAX_STEP_BLOBS, step * 2)) {
    const to = Math.min(last, after + step)
    const chunksWith = (match: string) => Map.groupBy(listChunks(db, match, after, to), blobOf)
    let found: Map<number, (readonly number[] | null)[]> | null = null
    for (const [index, { indexQuery: match }] of wanted.entries()) {
      if (match === null || found?.size === 0) continue
      const before: Map<number, (readonly number[] | null)[]> | null = found
      found = new Map()
      for (const [blob, ids] of chunksWith(match)) {
        const known =
          before === null
            ? among === null || among.has(blob)
              ? [...unknown]
              : undefined
            : before.get(blob)
        if (known === undefined) continue
        known[index] = ids
        found.set(blob, known)
      }
    }
    const blobs =
      found === null
        ? listBlobs(db, after, to).map((blob): [number, CandidateChunks] => [blob, unknown])
        : [...found]
    // Chunks that the index does not return for an unwanted term do not contain it.
    const without =
      blobs.length === 0
        ? []
        : unwanted.map(({ indexQuery: match }) => (match === null ? null : chunksWith(match)))
    yield blobs.map(([blob, chunks]) => ({
      blob,
      chunks,
      unwanted: without.map((one) => one && (one.get(blob) ?? [])),
    }))
    after = to
  }
}
