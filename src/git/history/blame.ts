/**
 * `git blame` with its defaults (https://git-scm.com/docs/git-blame). Lines are passed from a commit
 * to the parents that already had them, also through renames of the whole file. A commit is blamed
 * for the lines that none of its parents had.
 */
import { runToEnd, type PausableWork } from './pausable-work.ts'
import {
  GitError,
  type BlameRange,
  type CachedBlame,
  type ObjectReader,
  type Oid,
} from '../ports.ts'
import type { Change } from '../diff/changes.ts'
import { manyFiles } from '../diff/effort.ts'
import { diffNumbered } from '../diff/line-diff.ts'
import { LineNumbers, type NumberedLines } from '../diff/line-numbers.ts'
import { countLines } from '../diff/lines.ts'
import { findRenames } from '../diff/renames.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { isFilterablePath, pathHashes } from '../store/changed-paths.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { keyToText, splitPath, type PathKey } from './names.ts'
import { createPathLookup, type PathLookup } from './path-lookup.ts'
import {
  blobSize,
  entryAt,
  isBlob,
  isDir,
  isFile,
  hold,
  readBlob,
  treeOf,
  type Entry,
} from './tree.ts'

/** Larger files are refused. */
const MAX_FILE_BYTES = 32 * 1024 * 1024
const MAX_FILE_LINES = 1_000_000
/** Two versions are compared, and their different lines are copied. */
const COPIES = 3
/** What each line takes in both versions and in the tables. */
const BYTES_PER_LINE = 64

/**
 * A run of `count` lines: they begin at line `at` (from 0) of a suspect's file, and at line `final`
 * of the blamed file.
 */
type LineRun = { readonly at: number; readonly count: number; readonly final: number }

/** A file at a commit that may be to blame for the lines in `runs`. */
type Suspect = {
  readonly node: CommitNode
  readonly path: PathKey
  readonly entry: Entry
  runs: LineRun[]
}

/**
 * Blames the lines `from`..`to` (from 1, inclusive; the whole file by default). Each range of the
 * result has one commit and path. Throws GitError `missing` when there is no such file, `invalid`
 * for a directory or submodule, and `too_large` above 32 MiB.
 */
export const blame = (
  db: ObjectReader,
  commit: Oid,
  path: string,
  range?: LineRange,
  known: readonly CachedBlame[] = [],
): BlameRange[] => runToEnd(blameInTurns(db, commit, path, range, known))

type LineRange = { readonly from: number; readonly to: number }

/**
 * The same with pauses: a file with a long history takes seconds. Lines that reach a cached result
 * (`known`) are taken from it.
 */
export function* blameInTurns(
  db: ObjectReader,
  commit: Oid,
  path: string,
  range?: LineRange,
  known: readonly CachedBlame[] = [],
): PausableWork<BlameRange[]> {
  const segments = splitPath(path)
  const entry = entryAt(db, treeOf(db, commit), segments)
  if (!entry) throw new GitError('missing', `no file ${path} at ${commit}`)
  if (isDir(entry.mode) || !isBlob(entry.mode))
    throw new GitError('invalid', `${path} is not a file`)
  if (blobSize(db, entry.oid) > MAX_FILE_BYTES)
    throw new GitError('too_large', `${path} is larger than ${MAX_FILE_BYTES} bytes`)
  const releaseBytes = hold(db, blobSize(db, entry.oid) * COPIES)
  try {
    const lines = countLines(readBlob(db, entry.oid))
    if (lines > MAX_FILE_LINES)
      throw new GitError('too_large', `${path} has more than ${MAX_FILE_LINES} lines`)
    const from = Math.max(1, range?.from ?? 1)
    const to = Math.min(lines, range?.to ?? lines)
    if (from > to) return []
    const releaseLines = hold(db, lines * BYTES_PER_LINE)
    try {
      const run = { at: from - 1, count: to - from + 1, final: from - 1 }
      return yield* new BlameWalk(db, known).run(commit, segments.join('/'), entry, run)
    } finally {
      releaseLines()
    }
  } finally {
    releaseBytes()
  }
}

/** Other work of the thread gets a turn after this many commits. */
const COMMITS_PER_TURN = 4

type Pending = {
  readonly node: CommitNode
  readonly time: number
  readonly suspects: Map<PathKey, Suspect>
}
type BlamedRun = {
  readonly final: number
  readonly count: number
  readonly commit: Oid
  readonly path: PathKey
}

class BlameWalk {
  private readonly source
  private readonly queue = new CommitQueue<Pending>()
  private readonly pending = new Map<Oid, Pending>()
  private readonly found: BlamedRun[] = []
  private readonly files = new Map<Oid, NumberedLines>()
  private filesBytes = 0
  private numbers = new LineNumbers()
  private readonly hashes = new Map<PathKey, Uint32Array>()
  private readonly probes = new Map<PathKey, PathLookup>()
  private readonly effort = manyFiles()
  private readonly known: ReadonlyMap<Oid, CachedBlame>

  constructor(
    private readonly db: ObjectReader,
    known: readonly CachedBlame[],
  ) {
    this.source = commitSource(db)
    this.known = new Map(known.map((one) => [one.commit, one]))
  }

  *run(commit: Oid, path: PathKey, entry: Entry, run: LineRun): PausableWork<BlameRange[]> {
    this.suspect(this.source.get(commit), path, entry, [run])
    let steps = 0
    for (let step = this.queue.take(); step; step = this.queue.take()) {
      if (++steps % COMMITS_PER_TURN === 0) yield 'pause'
      this.pending.delete(step.node.oid)
      for (const suspect of step.suspects.values()) this.settle(suspect)
    }
    return this.ranges()
  }

  private suspect(node: CommitNode, path: PathKey, entry: Entry, runs: readonly LineRun[]): void {
    if (runs.length === 0) return
    let pending = this.pending.get(node.oid)
    if (!pending) {
      pending = { node, time: node.time, suspects: new Map() }
      this.pending.set(node.oid, pending)
      this.queue.put(pending)
    }
    const known = pending.suspects.get(path)
    if (known) known.runs.push(...runs)
    else pending.suspects.set(path, { node, path, entry, runs: [...runs] })
  }

  /** Passes a suspect's lines on to its parents. It is to blame for the lines that remain. */
  private settle(suspect: Suspect): void {
    const known = this.known.get(suspect.node.oid)
    if (known && suspect.path === splitPath(known.path).join('/')) {
      this.takeCached(known, suspect)
      return
    }
    const parents = suspect.node.parents.map((oid) => this.source.get(oid))
    const origins: ({ node: CommitNode; path: PathKey; entry: Entry } | null)[] = parents.map(
      () => null,
    )
    for (const find of [this.samePath, this.renamed]) {
      for (const [i, parent] of parents.entries()) {
        if (origins[i]) continue
        const origin = find.call(this, suspect, parent)
        if (!origin) continue
        if (origin.entry.oid === suspect.entry.oid) {
          this.suspect(parent, origin.path, origin.entry, suspect.runs)
          return
        }
        // An earlier parent with the same content has taken the same lines.
        const twice = origins.slice(0, i).some((other) => other?.entry.oid === origin.entry.oid)
        if (!twice) origins[i] = { node: parent, ...origin }
      }
    }
    let left = byPosition(suspect.runs)
    for (const origin of origins) {
      if (!origin) continue
      const { taken, kept } = divide(left, this.compare(origin.entry.oid, suspect.entry.oid))
      this.suspect(origin.node, origin.path, origin.entry, taken)
      left = kept
      if (left.length === 0) return
    }
    for (const run of left)
      this.found.push({
        final: run.final,
        count: run.count,
        commit: suspect.node.oid,
        path: suspect.path,
      })
  }

  /** Takes the lines of a suspect from a cached result. */
  private takeCached({ path, ranges }: CachedBlame, suspect: Suspect): void {
    const ends = ranges.map(({ to_line }) => to_line)
    for (const run of suspect.runs) {
      const end = run.at + run.count
      let at = run.at
      for (let i = firstAbove(ends, at); at < end; i++) {
        const range = ranges[i]
        if (!range)
          throw new GitError('corrupt', `the cached blame of ${path} ends before line ${at + 1}`)
        const next = Math.min(end, range.to_line)
        this.found.push({
          final: run.final + at - run.at,
          count: next - at,
          commit: range.oid,
          path: splitPath(range.path).join('/'),
        })
        at = next
      }
    }
  }

  private entryAt(tree: Oid, path: PathKey): Entry | null {
    let probe = this.probes.get(path)
    if (probe === undefined)
      this.probes.set(path, (probe = createPathLookup(this.db, path.split('/'))))
    return probe(tree)
  }

  private samePath(suspect: Suspect, parent: CommitNode): { path: PathKey; entry: Entry } | null {
    const first = suspect.node.parents[0] === parent.oid
    if (
      first &&
      isFilterablePath(suspect.path) &&
      this.source.leaves?.(suspect.node.oid, this.hashesOf(suspect.path))
    )
      return { path: suspect.path, entry: suspect.entry }
    const entry = this.entryAt(parent.tree, suspect.path)
    // A file and a symbolic link of the same name have separate histories.
    if (!entry || !isBlob(entry.mode) || isFile(entry.mode) !== isFile(suspect.entry.mode))
      return null
    return { path: suspect.path, entry }
  }

  private hashesOf(path: PathKey): Uint32Array {
    let hashes = this.hashes.get(path)
    if (hashes === undefined) this.hashes.set(path, (hashes = pathHashes(path)))
    return hashes
  }

  private renamed(suspect: Suspect, parent: CommitNode): { path: PathKey; entry: Entry } | null {
    const before = this.entryAt(parent.tree, suspect.path)
    if (before && !isDir(before.mode)) return null
    const gone = diffTreePaths(this.db, parent.tree, suspect.node.tree).flatMap((c) =>
      c.old && !c.new ? [{ path: c.path, ...c.old }] : [],
    )
    const [rename] = findRenames(this.db, gone, [{ path: suspect.path, ...suspect.entry }])
    return rename
      ? { path: rename.from.path, entry: { mode: rename.from.mode, oid: rename.from.oid } }
      : null
  }

  private compare(old: Oid, now: Oid): Change[] {
    const after = this.lines(now, null)
    const before = this.lines(old, after)
    const [a, b] = trimTail(before, this.files.has(now) ? after : this.lines(now, before))
    return diffNumbered(a, b, this.numbers.kinds, this.effort)
  }

  private lines(oid: Oid, near: NumberedLines | null): NumberedLines {
    const known = this.files.get(oid)
    if (known) return known
    if (blobSize(this.db, oid) > MAX_FILE_BYTES)
      throw new GitError('too_large', `blob ${oid} is larger than ${MAX_FILE_BYTES} bytes`)
    const data = readBlob(this.db, oid)
    // Two compared files must have numbers of the same numbering, whatever their size.
    if (this.files.size > 1 && this.filesBytes + this.numbers.held + data.length > MAX_FILE_BYTES) {
      this.files.clear()
      this.filesBytes = 0
      this.numbers = new LineNumbers()
      near = null
    }
    const lines = this.numbers.number(data, near)
    this.filesBytes += data.length
    this.files.set(oid, lines)
    return lines
  }

  private ranges(): BlameRange[] {
    const commits = new Map<Oid, BlameRange['commit']>()
    const ranges: {
      from_line: number
      to_line: number
      commit: BlameRange['commit']
      path: string
    }[] = []
    for (const { final, count, commit: oid, path } of this.found.sort(
      (a, b) => a.final - b.final,
    )) {
      const last = ranges.at(-1)
      const text = keyToText(path)
      if (last && last.commit.oid === oid && last.path === text && last.to_line === final) {
        last.to_line = final + count
        continue
      }
      let commit = commits.get(oid)
      if (!commit) commits.set(oid, (commit = readCommit(this.db, oid)))
      ranges.push({ from_line: final + 1, to_line: final + count, commit, path: text })
    }
    return ranges
  }
}

/** The runs in order of their lines in the suspect's file, with adjacent runs merged. */
function byPosition(runs: readonly LineRun[]): LineRun[] {
  const joined: LineRun[] = []
  for (const run of [...runs].sort((a, b) => a.at - b.at || a.final - b.final)) {
    const last = joined.at(-1)
    if (last && last.at + last.count === run.at && last.final + last.count === run.final) {
      joined[joined.length - 1] = { ...last, count: last.count + run.count }
    } else joined.push(run)
  }
  return joined
}

/** Splits runs into lines that the older file has (with its line numbers) and new ones. */
function divide(
  runs: readonly LineRun[],
  changes: readonly Change[],
): { taken: LineRun[]; kept: LineRun[] } {
  const taken: LineRun[] = []
  const kept: LineRun[] = []
  const ends = changes.map((change) => change.new + change.newCount)
  for (const run of runs) {
    let at = run.at
    const end = run.at + run.count
    let i = firstAbove(ends, at)
    while (at < end) {
      const change = changes[i]
      const previous = changes[i - 1]
      const shift = previous
        ? previous.old + previous.oldCount - (previous.new + previous.newCount)
        : 0
      const commonEnd = Math.min(end, change?.new ?? Infinity)
      if (at < commonEnd) {
        taken.push({ at: at + shift, count: commonEnd - at, final: run.final + (at - run.at) })
        at = commonEnd
        continue
      }
      const changeEnd = Math.min(end, change ? change.new + change.newCount : end)
      if (changeEnd > at) kept.push({ at, count: changeEnd - at, final: run.final + (at - run.at) })
      at = changeEnd
      i++
    }
  }
  return { taken, kept }
}

/** The index of the first change that ends after a line. */
function firstAbove(ends: readonly number[], line: number): number {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? Infinity) <= line) low = middle + 1
    else high = middle
  }
  return low
}

const COMPARED_BLOCK_BYTES = 1024

/**
 * Removes a long common end, as git does before a diff without context. This affects which lines
 * count as rare, so it is needed for the same result.
 */
function trimTail(a: NumberedLines, b: NumberedLines): [NumberedLines, NumberedLines] {
  const [old, now] = [asBuffer(a.lines.data), asBuffer(b.lines.data)]
  const smaller = Math.min(old.length, now.length)
  let trimmed = 0
  while (trimmed + COMPARED_BLOCK_BYTES <= smaller && sameBlock(old, now, trimmed))
    trimmed += COMPARED_BLOCK_BYTES
  if (trimmed === 0) return [a, b]
  const newline = old.indexOf(0x0a, old.length - trimmed)
  if (newline < 0) return [a, b]
  const left = old.length - newline - 1
  return [shortened(a, left), shortened(b, left)]
}

const asBuffer = (data: Uint8Array): Buffer =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength)

const sameBlock = (a: Buffer, b: Buffer, trimmed: number): boolean =>
  a.compare(
    b,
    b.length - trimmed - COMPARED_BLOCK_BYTES,
    b.length - trimmed,
    a.length - trimmed - COMPARED_BLOCK_BYTES,
    a.length - trimmed,
  ) === 0

/** Removes the last `bytes` bytes, which are whole lines. */
function shortened({ lines, numbers }: NumberedLines, bytes: number): NumberedLines {
  const length = lines.data.length - bytes
  let count = lines.count
  while (count > 0 && (lines.starts[count] as number) > length) count--
  return {
    lines: {
      data: lines.data.subarray(0, length),
      count,
      starts: lines.starts.subarray(0, count + 1),
    },
    numbers: numbers.subarray(0, count),
  }
}
