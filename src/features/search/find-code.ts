/**
 * Files of code that fit. The index of trigrams gives blobs that may hold what is looked for; the
 * files that have them are held against what may be seen and what was asked; only then is a text
 * unpacked and looked through. So no count and no time tells of a file that the caller cannot see.
 */
import type { DatabaseHandle } from '#core/db.ts'
import { pathGlob } from '#lib/glob.ts'
import { blobOf } from './chunks.ts'
import type { Deadline } from './deadline.ts'
import { lookFor, type Look } from './look.ts'
import { MOST_COUNTED, type FindRequest } from './request.ts'
import {
  blobsOfTree,
  chunksOfBlob,
  findTreeRow,
  findVisible,
  lastBlob,
  listBlobs,
  listChunks,
  listDefining,
  listFiles,
  listRepoIds,
  listTrees,
  repoConditions,
  type FileRow,
  type TreeRow,
} from './store-find.ts'

/** Blobs that the index is asked about at once; each time twice as many. */
const FIRST_STEP = 512
const LONGEST_STEP = 16_384
/** Of so many repositories that were named, the blobs are known before the index is asked. */
const MOST_NAMED = 20
const MOST_DEFINED = 5_000
/** Counting more of one word in one file would not make it a better find. */
const MOST_TIMES = 8

export type CodeFile = {
  readonly blob: number
  readonly tree: TreeRow
  readonly path: string
  readonly language: string | null
  readonly score: number
  readonly at: string
  readonly chunks: Candidate['chunks']
}

type Chunks = readonly (readonly number[] | null)[]
/**
 * A blob that may fit, with the chunks that may hold each thing that is wanted, and each that is
 * not; null where the index does not tell.
 */
type Candidate = { readonly blob: number; readonly chunks: Chunks; readonly unwanted: Chunks }

/**
 * How often what is wanted is in a blob, each at least once; null when it does not fit, and
 * undefined when looking would take too long.
 */
function fit(
  db: DatabaseHandle,
  candidate: Candidate,
  { wanted, unwanted }: Look,
): number | null | undefined {
  let all: number[] | null = null
  const every = (): number[] => (all ??= chunksOfBlob(db, candidate.blob))
  let times = 0
  for (const [index, ask] of wanted.entries()) {
    let here = 0
    for (const chunk of candidate.chunks[index] ?? every()) {
      const found = ask.times(db, chunk, MOST_TIMES)
      if (found === null) return undefined
      here = found
      // How often it is in the first chunk that has it tells enough.
      if (found > 0) break
    }
    if (here === 0) return null
    times += here
  }
  for (const [index, ask] of unwanted.entries()) {
    for (const chunk of candidate.unwanted[index] ?? every()) {
      const found = ask.times(db, chunk, 1)
      if (found !== 0) return found === null ? undefined : null
    }
  }
  // What is no text has no chunk, and nothing can be said of it.
  return wanted.length > 0 || every().length > 0 ? times : null
}

/**
 * Wildcards are held against the whole path, or the name alone where the pattern has no slash;
 * other text is looked for in the path.
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

/** Blobs that define all of these names; null when none is asked for. */
function definingBlobs(
  db: DatabaseHandle,
  { filters }: FindRequest,
): { defined: Set<number> | null; notDefined: Set<number> } {
  const blobs = (name: string) =>
    new Set(
      listDefining(db, name, { open: true, limit: MOST_DEFINED })
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

const TESTS =
  /(^|\/)(tests?|__tests__|specs?|fixtures?|testdata|vendor|third_party|node_modules|dist|examples?|docs?)\//i

export function findCode(
  db: DatabaseHandle,
  request: FindRequest,
  deadline: Deadline,
): { files: CodeFile[]; incomplete: boolean } {
  const { terms, filters, scope, sort } = request
  const repos = repoConditions('code', scope, filters)
  const look = lookFor(request)
  const { defined, notDefined } = definingBlobs(db, request)
  const ref = filters.branch ?? ''
  let incomplete = false

  // Where.
  const named =
    filters.repos !== null || filters.workspaces !== null || scope.bound !== null
      ? listRepoIds(db, repos, MOST_NAMED + 1)
      : null
  if (named?.length === 0) return { files: [], incomplete }
  let among: Set<number> | null = defined
  if (named !== null && named.length <= MOST_NAMED) {
    const trees = named.flatMap((repo_id) =>
      listTrees(db, repo_id).filter((tree) => tree.ref === ref),
    )
    // What is still being taken in may lack what is looked for.
    if (trees.some(({ done }) => done === 0)) incomplete = true
    const blobs = new Set(trees.flatMap(({ id }) => blobsOfTree(db, id)))
    among = among === null ? blobs : among.intersection(blobs)
  }
  if (among?.size === 0) return { files: [], incomplete }

  const seen = new Map<string, ReturnType<typeof findVisible>>()
  const visible = (repo_id: string) => {
    let facts = seen.get(repo_id)
    if (facts === undefined) seen.set(repo_id, (facts = findVisible(db, repo_id, repos)))
    return facts
  }
  const trees = new Map<number, TreeRow | null>()
  const treeOf = (id: number): TreeRow | null => {
    let tree = trees.get(id)
    if (tree === undefined) trees.set(id, (tree = findTreeRow(db, id)))
    return tree
  }
  const paths = filters.paths.map(({ pattern, not }) => ({ test: pathTest(pattern), not }))
  const accepted = ({
    tree,
    dir,
    name,
    language,
    generated,
  }: FileRow): { tree: TreeRow; path: string; at: string } | null => {
    if (generated === 1 && !filters.generated) return null
    if (
      !filters.languages.every(
        ({ values, not }) => values.includes(language?.toLowerCase() ?? '') !== not,
      )
    )
      return null
    const path = dir === '' ? name : `${dir}/${name}`
    if (!paths.every(({ test, not }) => test(path) !== not)) return null
    const row = treeOf(tree)
    if (row === null || row.ref !== ref) return null
    const facts = visible(row.repo_id)
    if (facts === null) return null
    return { tree: row, path, at: (sort === 'created' ? facts.created_at : facts.pushed_at) ?? '' }
  }

  const wantedTexts = terms.filter(({ not }) => !not).map(({ text }) => text)
  const definesExactly = new Set(
    wantedTexts.flatMap((name) =>
      listDefining(db, name, { open: false, limit: MOST_DEFINED }).map(({ blob }) => blob),
    ),
  )
  const score = (blob: number, path: string, times: number): number => {
    const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
    const inName = wantedTexts.some((text) => base.includes(text.toLowerCase())) ? 12 : 0
    return (
      (definesExactly.has(blob) ? 30 : 0) +
      inName +
      Math.min(times, 12) -
      (TESTS.test(path) ? 15 : 0) -
      path.split('/').length / 4
    )
  }

  const files: CodeFile[] = []
  for (const step of candidates(db, look, among)) {
    const byBlob = Map.groupBy(
      listFiles(
        db,
        step.filter(({ blob }) => !notDefined.has(blob)).map(({ blob }) => blob),
      ),
      ({ blob }) => blob,
    )
    for (const candidate of step) {
      const places = (byBlob.get(candidate.blob) ?? []).flatMap((row) => {
        const place = accepted(row)
        return place ? [{ ...place, language: row.language }] : []
      })
      if (places.length === 0) continue
      const times = fit(db, candidate, look)
      if (times === undefined) incomplete = true
      if (times === null || times === undefined) continue
      for (const { tree, path, language, at } of places)
        files.push({
          blob: candidate.blob,
          tree,
          path,
          language,
          at,
          score: score(candidate.blob, path, times),
          chunks: candidate.chunks,
        })
      if (files.length > MOST_COUNTED || deadline.passed()) break
    }
    if (files.length > MOST_COUNTED) break
    if (deadline.passed()) {
      incomplete = true
      break
    }
  }
  if (sort === 'best') files.sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
  else files.sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : b.score - a.score))
  return { files: files.slice(0, MOST_COUNTED), incomplete }
}

/** Blobs that may hold all that is looked for, in steps, in the order of their ids. */
function* candidates(
  db: DatabaseHandle,
  { wanted, unwanted }: Look,
  among: ReadonlySet<number> | null,
): Generator<Candidate[]> {
  let after = 0
  let last = lastBlob(db)
  if (among !== null) {
    last = 0
    after = Number.MAX_SAFE_INTEGER
    for (const id of among) {
      last = Math.max(last, id)
      after = Math.min(after, id - 1)
    }
  }
  const unknown: Chunks = wanted.map(() => null)
  const unknownToo: Chunks = unwanted.map(() => null)
  if (among !== null && wanted.every(({ match }) => match === null)) {
    const ids = [...among].sort((a, b) => a - b)
    for (let at = 0; at < ids.length; at += FIRST_STEP)
      yield ids
        .slice(at, at + FIRST_STEP)
        .map((blob) => ({ blob, chunks: unknown, unwanted: unknownToo }))
    return
  }
  for (let step = FIRST_STEP; after < last; step = Math.min(LONGEST_STEP, step * 2)) {
    const to = Math.min(last, after + step)
    const chunksWith = (match: string) => Map.groupBy(listChunks(db, match, after, to), blobOf)
    let found: Map<number, (readonly number[] | null)[]> | null = null
    for (const [index, { match }] of wanted.entries()) {
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
        ? listBlobs(db, after, to).map((blob): [number, Chunks] => [blob, unknown])
        : [...found]
    // What the index does not have of them is not in them.
    const without =
      blobs.length === 0
        ? []
        : unwanted.map(({ match }) => (match === null ? null : chunksWith(match)))
    yield blobs.map(([blob, chunks]) => ({
      blob,
      chunks,
      unwanted: without.map((one) => one && (one.get(blob) ?? [])),
    }))
    after = to
  }
}
