/**
 * Who wrote each line: https://git-scm.com/docs/git-blame with its defaults. The lines of a file are handed to the parents
 * that already had them, through renames of the whole file, until a commit is found that all of its parents cannot explain.
 */
import { finish, type Turns } from './turns.ts'
import { GitError, type BlameRange, type ObjectReader, type Oid } from '../ports.ts'
import type { Change } from '../diff/changes.ts'
import { manyFiles } from '../diff/effort.ts'
import { diffLines } from '../diff/line-diff.ts'
import { splitLines, type Lines } from '../diff/lines.ts'
import { findRenames } from '../diff/renames.ts'
import { diffTreePaths } from '../diff/tree-diff.ts'
import { canAsk, pathHashes } from '../store/changed-paths.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { keyToText, splitPath, type PathKey } from './names.ts'
import { blobSize, entryAt, isBlob, isDir, isFile, readBlob, treeOf, type Entry } from './tree.ts'

/** Files over this are refused. */
const MAX_BYTES = 32 * 1024 * 1024

/** A run of lines that are `count` lines from `at` (from 0) in a suspect's file, and from `final` in the file asked about. */
type Run = { readonly at: number; readonly count: number; readonly final: number }

/** A file at a commit that may have written the lines in `runs`. */
type Suspect = { readonly node: CommitNode; readonly path: PathKey; readonly entry: Entry; runs: Run[] }

/**
 * The lines `from`..`to` (from 1, both included; the whole file unless given) in runs of one commit and path each.
 * Gives GitError `missing` when there is no such file, `invalid` for a directory or submodule, `too_large` over 32 MB.
 */
export const blame = (db: ObjectReader, commit: Oid, path: string, range?: { from: number; to: number }): BlameRange[] => finish(blameTurns(db, commit, path, range))

/** The same with pauses: an old file takes seconds. */
export function* blameTurns(db: ObjectReader, commit: Oid, path: string, range?: { from: number; to: number }): Turns<BlameRange[]> {
  const segments = splitPath(path)
  const entry = entryAt(db, treeOf(db, commit), segments)
  if (!entry) throw new GitError('missing', `no file ${path} at ${commit}`)
  if (isDir(entry.mode) || !isBlob(entry.mode)) throw new GitError('invalid', `${path} is not a file`)
  if (blobSize(db, entry.oid) > MAX_BYTES) throw new GitError('too_large', `${path} is larger than ${MAX_BYTES} bytes`)
  const lines = splitLines(readBlob(db, entry.oid)).count
  const from = Math.max(1, range?.from ?? 1)
  const to = Math.min(lines, range?.to ?? lines)
  if (from > to) return []
  return yield* new Blame(db).run(commit, segments.join('/'), entry, { at: from - 1, count: to - from + 1, final: from - 1 })
}

/** After so many commits other work of the thread gets its turn. */
const TURN = 4

type Pending = { readonly node: CommitNode; readonly time: number; readonly suspects: Map<PathKey, Suspect> }
type Found = { readonly final: number; readonly count: number; readonly commit: Oid; readonly path: PathKey }

class Blame {
  private readonly source
  private readonly queue = new CommitQueue<Pending>()
  private readonly pending = new Map<Oid, Pending>()
  private readonly found: Found[] = []
  private readonly files = new Map<Oid, Lines>()
  private filesBytes = 0
  private readonly hashes = new Map<PathKey, Uint32Array>()
  private readonly effort = manyFiles()

  constructor(private readonly db: ObjectReader) {
    this.source = commitSource(db)
  }

  *run(commit: Oid, path: PathKey, entry: Entry, run: Run): Turns<BlameRange[]> {
    this.suspect(this.source.get(commit), path, entry, [run])
    let steps = 0
    for (let step = this.queue.take(); step; step = this.queue.take()) {
      if (++steps % TURN === 0) yield 'pause'
      this.pending.delete(step.node.oid)
      for (const suspect of step.suspects.values()) this.settle(suspect)
    }
    return this.ranges()
  }

  private suspect(node: CommitNode, path: PathKey, entry: Entry, runs: readonly Run[]): void {
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

  /** Hands a suspect's lines to its parents; what none of them takes is its own. */
  private settle(suspect: Suspect): void {
    const parents = suspect.node.parents.map((oid) => this.source.get(oid))
    const origins: ({ node: CommitNode; path: PathKey; entry: Entry } | null)[] = parents.map(() => null)
    for (const find of [this.samePath, this.renamed]) {
      for (const [i, parent] of parents.entries()) {
        if (origins[i]) continue
        const origin = find.call(this, suspect, parent)
        if (!origin) continue
        if (origin.entry.oid === suspect.entry.oid) {
          this.suspect(parent, origin.path, origin.entry, suspect.runs)
          return
        }
        // The same content through an earlier parent explains the same lines.
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
    for (const run of left) this.found.push({ final: run.final, count: run.count, commit: suspect.node.oid, path: suspect.path })
  }

  private samePath(suspect: Suspect, parent: CommitNode): { path: PathKey; entry: Entry } | null {
    const first = suspect.node.parents[0] === parent.oid
    if (first && canAsk(suspect.path) && this.source.leaves?.(suspect.node.oid, this.hashesOf(suspect.path))) return { path: suspect.path, entry: suspect.entry }
    const entry = entryAt(this.db, parent.tree, suspect.path.split('/'))
    // A file that used to be a link, or the other way round, is another file.
    if (!entry || !isBlob(entry.mode) || isFile(entry.mode) !== isFile(suspect.entry.mode)) return null
    return { path: suspect.path, entry }
  }

  private hashesOf(path: PathKey): Uint32Array {
    let hashes = this.hashes.get(path)
    if (hashes === undefined) this.hashes.set(path, (hashes = pathHashes(path)))
    return hashes
  }

  private renamed(suspect: Suspect, parent: CommitNode): { path: PathKey; entry: Entry } | null {
    const before = entryAt(this.db, parent.tree, suspect.path.split('/'))
    if (before && !isDir(before.mode)) return null
    const gone = diffTreePaths(this.db, parent.tree, suspect.node.tree).flatMap((c) => (c.old && !c.new ? [{ path: c.path, ...c.old }] : []))
    const [rename] = findRenames(this.db, gone, [{ path: suspect.path, ...suspect.entry }])
    return rename ? { path: rename.from.path, entry: { mode: rename.from.mode, oid: rename.from.oid } } : null
  }

  private compare(old: Oid, now: Oid): Change[] {
    const [a, b] = trimTail(this.lines(old), this.lines(now))
    return diffLines(a, b, { algorithm: 'myers', effort: this.effort })
  }

  private lines(oid: Oid): Lines {
    let lines = this.files.get(oid)
    if (lines) return lines
    const data = readBlob(this.db, oid)
    if (data.length > MAX_BYTES) throw new GitError('too_large', `blob ${oid} is larger than ${MAX_BYTES} bytes`)
    lines = splitLines(data)
    this.filesBytes += data.length
    if (this.filesBytes > 2 * MAX_BYTES) {
      this.files.clear()
      this.filesBytes = data.length
    }
    this.files.set(oid, lines)
    return lines
  }

  private ranges(): BlameRange[] {
    const commits = new Map<Oid, BlameRange['commit']>()
    const ranges: { from_line: number; to_line: number; commit: BlameRange['commit']; path: string }[] = []
    for (const { final, count, commit: oid, path } of this.found.sort((a, b) => a.final - b.final)) {
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

/** In order of their place in the suspect's file, neighbours joined. */
function byPosition(runs: readonly Run[]): Run[] {
  const joined: Run[] = []
  for (const run of [...runs].sort((a, b) => a.at - b.at || a.final - b.final)) {
    const last = joined.at(-1)
    if (last && last.at + last.count === run.at && last.final + last.count === run.final) {
      joined[joined.length - 1] = { ...last, count: last.count + run.count }
    } else joined.push(run)
  }
  return joined
}

/** Splits runs into what the older file has too (placed there) and what is new. */
function divide(runs: readonly Run[], changes: readonly Change[]): { taken: Run[]; kept: Run[] } {
  const taken: Run[] = []
  const kept: Run[] = []
  const ends = changes.map((change) => change.new + change.newCount)
  for (const run of runs) {
    let at = run.at
    const end = run.at + run.count
    let i = firstAbove(ends, at)
    while (at < end) {
      const change = changes[i]
      const previous = changes[i - 1]
      const shift = previous ? previous.old + previous.oldCount - (previous.new + previous.newCount) : 0
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

/** The first change that ends beyond a line; every one before it lies wholly above. */
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

const BLOCK = 1024

/** Leaves out a long common end, as git does before a diff without context: it bears on which lines count as rare. */
function trimTail(a: Lines, b: Lines): [Lines, Lines] {
  const smaller = Math.min(a.data.length, b.data.length)
  let trimmed = 0
  while (trimmed + BLOCK <= smaller && sameBlock(a.data, b.data, trimmed)) trimmed += BLOCK
  if (trimmed === 0) return [a, b]
  let cut = 0
  while (cut < trimmed && a.data[a.data.length - trimmed + cut++] !== 0x0a);
  const left = trimmed - cut
  return [splitLines(a.data.subarray(0, a.data.length - left)), splitLines(b.data.subarray(0, b.data.length - left))]
}

function sameBlock(a: Uint8Array, b: Uint8Array, trimmed: number): boolean {
  const fromA = a.length - trimmed - BLOCK
  const fromB = b.length - trimmed - BLOCK
  for (let i = 0; i < BLOCK; i++) if (a[fromA + i] !== b[fromB + i]) return false
  return true
}
