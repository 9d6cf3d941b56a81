/**
 * Pairs removed files with added ones, like git's `diffcore-rename`: first files with identical
 * content, then files whose base names are unique on both sides and that are similar enough, then
 * the most similar remaining pairs.
 */
import { EMPTY_BLOB, MODE } from '../object.ts'
import type { ObjectReader, Oid } from '../ports.ts'
import { baseKey, type PathKey } from '../history/names.ts'
import { isFile } from '../history/tree.ts'
import { Fingerprints } from './fingerprints.ts'
import { MAX_SCORE, RENAME_SCORE } from './similarity.ts'

export type RenameFile = { readonly path: PathKey; readonly mode: number; readonly oid: Oid }
export type Rename = { readonly from: RenameFile; readonly to: RenameFile; readonly score: number }

export type RenameOptions = {
  /**
   * Similarity is compared only while sources times destinations is at most the square of this;
   * 1000 by default.
   */
  limit?: number
  /** Whether empty files may be renames of each other; true by default. */
  empty?: boolean
  /** Knowledge of a merge, see `merge/rename-hints.ts`. */
  hints?: RenameHints
}

/**
 * Lets a merge skip files whose renames do not matter, and guess where files of a renamed directory
 * are.
 */
export interface RenameHints {
  /** Called for every pair, pairs of identical content first. */
  found(from: PathKey, to: PathKey): void
  /** Called once, after the pairs of identical content. */
  ready(): void
  /** Whether a rename of this file could matter. */
  relevant(path: PathKey): boolean
  /** The probable new path of a file in a renamed directory, or null. */
  guess(path: PathKey): PathKey | null
  /** Called after the pairs by base name; returns the files that are still worth comparing. */
  narrow(paths: readonly PathKey[]): ReadonlySet<PathKey>
}

/** The best sources that are kept per destination. */
const CANDIDATES = 4
const MANY_ALIKE = 100

export function findRenames(
  db: ObjectReader,
  sources: readonly RenameFile[],
  destinations: readonly RenameFile[],
  options: RenameOptions = {},
): Rename[] {
  const { limit = 1000, empty = true, hints } = options
  const allowed = (file: RenameFile) => file.mode !== MODE.dir && (empty || file.oid !== EMPTY_BLOB)
  const search = new RenameSearch(
    new Fingerprints(db),
    sources.filter(allowed),
    destinations.filter(allowed),
    hints,
  )
  if (search.done) return []
  search.byContent()
  hints?.ready()
  if (!search.done) search.byName(RENAME_SCORE + (MAX_SCORE - RENAME_SCORE) / 2)
  if (!search.done) search.bySimilarity(limit)
  return search.renames()
}

type Candidate = {
  readonly from: number
  readonly to: number
  readonly score: number
  readonly sameName: boolean
}

class RenameSearch {
  private readonly used = new Set<number>()
  private readonly found = new Map<number, { from: number; score: number }>()

  constructor(
    private readonly prints: Fingerprints,
    private readonly sources: readonly RenameFile[],
    private readonly destinations: readonly RenameFile[],
    private readonly hints: RenameHints | undefined,
  ) {}

  get done(): boolean {
    return this.used.size === this.sources.length || this.found.size === this.destinations.length
  }

  /** In the order of the destinations. */
  renames(): Rename[] {
    const renames: Rename[] = []
    this.destinations.forEach((to, i) => {
      const pair = this.found.get(i)
      const from = pair && this.sources[pair.from]
      if (pair && from) renames.push({ from, to, score: pair.score })
    })
    return renames
  }

  private record(from: number, to: number, score: number): void {
    this.used.add(from)
    this.found.set(to, { from, score })
    const source = this.sources[from]
    const destination = this.destinations[to]
    if (source && destination) this.hints?.found(source.path, destination.path)
  }

  byContent(): void {
    const byOid = new Map<Oid, number[]>()
    this.sources.forEach((file, i) => {
      const list = byOid.get(file.oid)
      if (list) list.push(i)
      else byOid.set(file.oid, [i])
    })
    this.destinations.forEach((to, i) => {
      let best = -1
      let bestScore = -1
      let tried = 0
      for (const from of byOid.get(to.oid) ?? []) {
        const source = this.sources[from]
        if (!source || this.used.has(from)) continue
        if ((!isFile(source.mode) || !isFile(to.mode)) && source.mode !== to.mode) continue
        const score = baseKey(source.path) === baseKey(to.path) ? 1 : 0
        if (score > bestScore) {
          best = from
          bestScore = score
          if (score === 1) break
        }
        if (tried++ > MANY_ALIKE) break
      }
      if (best >= 0) this.record(best, i, MAX_SCORE)
    })
  }

  private score(from: number, to: number, least: number): number {
    const source = this.sources[from]
    const destination = this.destinations[to]
    if (!source || !destination || !isFile(source.mode) || !isFile(destination.mode)) return 0
    return this.prints.score(source.oid, destination.oid, least)
  }

  byName(least: number): void {
    const { sources, destinations, hints } = this
    const from = uniqueNames(sources, (i) => this.used.has(i))
    const to = uniqueNames(destinations, (i) => this.found.has(i))
    const places = new Map(
      destinations.flatMap((file, i) => (this.found.has(i) ? [] : [[file.path, i] as const])),
    )
    sources.forEach((source, i) => {
      if (this.used.has(i) || (hints && !hints.relevant(source.path))) return
      const name = baseKey(source.path)
      let target = to.get(name)
      if (target === undefined) return
      if (target < 0 || from.get(name) !== i) {
        const guess = hints?.guess(source.path)
        target = guess == null ? undefined : places.get(guess)
        if (target === undefined) return
      }
      if (this.found.has(target)) return
      const score = this.score(i, target, least)
      if (score >= least) this.record(i, target, score)
    })
  }

  bySimilarity(limit: number): void {
    const { sources, destinations, hints } = this
    let open = sources.flatMap((file, i) =>
      this.used.has(i) || (hints && !hints.relevant(file.path)) ? [] : [i],
    )
    if (hints) {
      const kept = hints.narrow(open.map((i) => sources[i]?.path ?? ''))
      open = open.filter((i) => kept.has(sources[i]?.path ?? ''))
    }
    const wanted = destinations.flatMap((_, i) => (this.found.has(i) ? [] : [i]))
    if (open.length === 0 || wanted.length === 0 || open.length * wanted.length > limit * limit)
      return
    const candidates: Candidate[] = []
    for (const to of wanted) {
      const best: Candidate[] = []
      for (const from of open) {
        const score = this.score(from, to, RENAME_SCORE)
        if (score === 0 && best.length === CANDIDATES) continue
        const sameName =
          baseKey(sources[from]?.path ?? '') === baseKey(destinations[to]?.path ?? '')
        offer(best, { from, to, score, sameName })
      }
      candidates.push(...best)
    }
    // An incomplete comparison would pair files by chance.
    if (this.prints.spent) return
    candidates.sort(byScore)
    for (const { from, to, score } of candidates) {
      if (score < RENAME_SCORE) break
      if (!this.found.has(to) && !this.used.has(from)) this.record(from, to, score)
    }
  }
}

/** The better candidate first. */
const byScore = (a: Candidate, b: Candidate): number =>
  b.score - a.score || Number(b.sameName) - Number(a.sameName)

/**
 * Keeps the best candidates, each in the slot in which it was put, so that the first of equals
 * wins.
 */
function offer(best: Candidate[], candidate: Candidate): void {
  if (best.length < CANDIDATES) {
    best.push(candidate)
    return
  }
  let worst = 0
  for (let i = 1; i < best.length; i++) {
    const a = best[i]
    const b = best[worst]
    if (a && b && byScore(a, b) > 0) worst = i
  }
  const last = best[worst]
  if (last && byScore(last, candidate) > 0) best[worst] = candidate
}

/** The base names with the index of their file; -1 where several files have the name. */
function uniqueNames(
  files: readonly RenameFile[],
  taken: (index: number) => boolean,
): Map<PathKey, number> {
  const names = new Map<PathKey, number>()
  files.forEach((file, i) => {
    if (taken(i)) return
    const name = baseKey(file.path)
    names.set(name, names.has(name) ? -1 : i)
  })
  return names
}
