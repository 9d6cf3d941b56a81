/**
 * Who wrote each line: https://git-scm.com/docs/git-blame with its defaults. The lines of a file
 * are handed to the parents that already had them, through renames of the whole file, until a
 * commit is found that all of its parents cannot explain.
 */
import { finish, type Turns } from './turns.ts'
import {
  GitError,
  type BlameRange,
  type KnownBlame,
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
import { canAsk, pathHashes } from '../store/changed-paths.ts'
import { CommitQueue } from './commit-queue.ts'
import { commitSource, type CommitNode } from './commit-source.ts'
import { readCommit } from './log.ts'
import { keyToText, splitPath, type PathKey } from './names.ts'
import { pathProbe, type PathProbe } from './path-probe.ts'
import { blobSize, entryAt, isBlob, isDir, isFile, readBlob, treeOf, type Entry } from './tree.ts'

/** Files over this are refused. */
const MAX_BYTES = 32 * 1024 * 1024

/**
 * A run of lines that are `count` lines from `at` (from 0) in a suspect's file, and from `final` in
 * the file asked about.
 */
type Run = { readonly at: number; readonly count: number; readonly final: number }

/** A file at a commit that may have written the lines in `runs`. */
type Suspect = {
  readonly node: CommitNode
  readonly path: PathKey
  readonly entry: Entry
  runs: Run[]
}

/**
 * The lines `from`..`to` (from 1, both included; the whole file unless given) in runs of one commit
 * and path each. Gives GitError `missing` when there is no such file, `invalid` for a directory or
 * submodule, `too_large` over 32 MB.
 */
export const blame = (
  db: ObjectReader,
  commit: Oid,
  path: string,
  range?: LineRange,
  known: readonly KnownBlame[] = [],
): BlameRange[] => finish(blameTurns(db, commit, path, range, known))

type LineRange = { readonly from: number; readonly to: number }

/**
 * The same with pauses: an old file takes seconds. Lines that come to what is `known` are looked
 * for no further.
 */
export function* blameTurns(
  db: ObjectReader,
  commit: Oid,
  path: string,
  range?: LineRange,
  known: readonly KnownBlame[] = [],
): Turns<BlameRange[]> {
  const segments = splitPath(path)
  const entry = entryAt(db, treeOf(db, commit), segments)
  if (!entry) throw new GitError('missing', `no file ${path} at ${commit}`)
  if (isDir(entry.mode) || !isBlob(entry.mode))
    throw new GitError('invalid', `${path} is not a file`)
  if (blobSize(db, entry.oid) > MAX_BYTES)
    throw new GitError('too_large', `${path} is larger than ${MAX_BYTES} bytes`)
  const lines = countLines(readBlob(db, entry.oid))
  const from = Math.max(1, range?.from ?? 1)
  const to = Math.min(lines, range?.to ?? lines)
  if (from > to) return []
  return yield* new Blame(db, known).run(commit, segments.join('/'), entry, {
    at: from - 1,
    count: to - from + 1,
    final: from - 1,
  })
}

/** After so many commits other work of the thread gets its turn. */
const TURN = 4

type Pending = {
  readonly node: CommitNode
  readonly time: number
  readonly suspects: Map<PathKey, Suspect>
}
type Found = {
  readonly final: number
  readonly count: number
  readonly commit: Oid
  readonly path: PathKey
}

class Blame {
  private readonly source
  private readonly queue = new CommitQueue<Pending>()
  private readonly pending = new Map<Oid, Pending>()
  private readonly found: Found[] = []
  private readonly files = new Map<Oid, NumberedLines>()
  private filesBytes = 0
  private numbers = new LineNumbers()
  private readonly hashes = new Map<PathKey, Uint32Array>()
  private readonly probes = new Map<PathKey, PathProbe>()
  private readonly effort = manyFiles()
  private readonly known: ReadonlyMap<Oid, KnownBlame>

  constructor(
    private readonly db: ObjectReader,
    known: readonly KnownBlame[],
  ) {
    this.source = commitSource(db)
    this.known = new Map(known.map((one) => [one.commit, one]))
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
    const known = this.known.get(suspect.node.oid)
    if (known && suspect.path === splitPath(known.path).join('/')) {
      this.takeKnown(known, suspect)
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
    for (const run of left)
      this.found.push({
        final: run.final,
        count: run.count,
        commit: suspect.node.oid,
        path: suspect.path,
      })
  }

  /** What was found before says whose the lines are. */
  private takeKnown({ path, ranges }: KnownBlame, suspect: Suspect): void {
    const ends = ranges.map(({ to_line }) => to_line)
    for (const run of suspect.runs) {
      const end = run.at + run.count
      let at = run.at
      for (let i = firstAbove(ends, at); at < end; i++) {
        const range = ranges[i]
        if (!range)
          throw new GitError('corrupt', `what is known of ${path} ends before line ${at + 1}`)
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
    if (probe === undefined) this.probes.set(path, (probe = pathProbe(this.db, path.split('/'))))
    return probe(tree)
  }

  private samePath(suspect: Suspect, parent: CommitNode): { path: PathKey; entry: Entry } | null {
    const first = suspect.node.parents[0] === parent.oid
    if (
      first &&
      canAsk(suspect.path) &&
      this.source.leaves?.(suspect.node.oid, this.hashesOf(suspect.path))
    )
      return { path: suspect.path, entry: suspect.entry }
    const entry = this.entryAt(parent.tree, suspect.path)
    // A file that used to be a link, or the other way round, is another file.
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
    const data = readBlob(this.db, oid)
    if (data.length > MAX_BYTES)
      throw new GitError('too_large', `blob ${oid} is larger than ${MAX_BYTES} bytes`)
    // The two that are compared must have numbers of one kind, however large they are.
    if (this.files.size > 1 && this.filesBytes + this.numbers.held + data.length > MAX_BYTES) {
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

/**
 * Leaves out a long common end, as git does before a diff without context: it bears on which lines
 * count as rare.
 */
function trimTail(a: NumberedLines, b: NumberedLines): [NumberedLines, NumberedLines] {
  const [old, now] = [asBuffer(a.lines.data), asBuffer(b.lines.data)]
  const smaller = Math.min(old.length, now.length)
  let trimmed = 0
  while (trimmed + BLOCK <= smaller && sameBlock(old, now, trimmed)) trimmed += BLOCK
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
    b.length - trimmed - BLOCK,
    b.length - trimmed,
    a.length - trimmed - BLOCK,
    a.length - trimmed,
  ) === 0

/** Without so many bytes at the end, which are whole lines. */
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
