/**
 * Finds a pattern in what commits add: file contents that no parent has at the same place. Every
 * blob is read once however many commits and branches hold it, and whether a match is news is asked
 * only where there is one.
 */
import type { AddedMatch, AddedMatches, AddedSearch, ObjectReader, Oid } from '../ports.ts'
import { diffTreePaths, type TreeChange } from '../diff/tree-diff.ts'
import type { CommitNode } from './commit-source.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { keyToText } from './names.ts'
import type { Turns } from './turns.ts'

/** Of a file; a match further on in a larger one is not found. */
const MOST_OF_A_FILE = 8 << 20
/** Blobs that are remembered to hold nothing. */
const MOST_CLEAN = 1 << 19
/** Bytes that are looked through before others of the thread have their turn. */
const TURN = 4 << 20

const GITLINK = 0o160000

type Hit = { readonly text: string; readonly index: number }
const NONE: readonly Hit[] = []

/** The newest commits first. Throws GitError `missing` for what is not there. */
export function* searchAdded(db: ObjectReader, search: AddedSearch): Turns<AddedMatches> {
  const blobs = new Blobs(db, search)
  const source = commitSource(db)
  const matches: AddedMatch[] = []
  const {
    commits: mostCommits = Infinity,
    bytes: mostBytes = Infinity,
    matches: mostMatches = 1000,
  } = search.most ?? {}
  let commits = 0
  let turn = 0
  for (const node of walkCommits(db, search)) {
    if (commits >= mostCommits || blobs.read >= mostBytes || matches.length >= mostMatches)
      return { matches, commits, complete: false }
    commits++
    const [first, ...others] = node.parents.map((oid) => source.get(oid).tree)
    const changes = diffTreePaths(db, first ?? null, node.tree)
    const dirty: TreeChange[] = []
    for (const change of changes) {
      if (change.new === null || change.new.mode === GITLINK || change.old?.oid === change.new.oid)
        continue
      if (blobs.hits(change.new.oid).length > 0) dirty.push(change)
      if (blobs.read - turn >= TURN) {
        turn = blobs.read
        yield 'pause'
      }
    }
    if (dirty.length > 0)
      matches.push(
        ...news(db, blobs, node, dirty, [
          changes,
          ...others.map((tree) => diffTreePaths(db, tree, node.tree)),
        ]),
      )
    if (commits % 64 === 0) yield 'pause'
  }
  return { matches, commits, complete: true }
}

/**
 * What a commit holds at `dirty` and none of its parents does. `compared` are the changes against
 * each of them.
 */
function news(
  db: ObjectReader,
  blobs: Blobs,
  { oid }: CommitNode,
  dirty: readonly TreeChange[],
  compared: readonly (readonly TreeChange[])[],
): AddedMatch[] {
  const sides = compared.map((changes) => ({
    at: new Map(changes.map((change) => [change.path, change])),
    // What left a path may have come to another.
    gone: changes.flatMap((change) =>
      change.old !== null && change.new === null && change.old.mode !== GITLINK
        ? [change.old.oid]
        : [],
    ),
  }))
  return dirty.flatMap(({ path, new: entry }) => {
    if (entry === null) return []
    const known = new Set<string>()
    for (const { at, gone } of sides) {
      const change = at.get(path)
      // One parent has it just so.
      if (change === undefined) return []
      const before =
        change.old === null || change.old.mode === GITLINK ? gone : [change.old.oid, ...gone]
      for (const one of before) for (const { text } of blobs.hits(one)) known.add(text)
    }
    const fresh = blobs.hits(entry.oid).filter(({ text }) => !known.has(text))
    if (fresh.length === 0) return []
    const data = contentOf(db, entry.oid)
    return fresh.map(({ text, index }) => ({
      commit: oid,
      path: keyToText(path),
      line: lineAt(data, index),
      text,
    }))
  })
}

function contentOf(db: ObjectReader, oid: Oid): Buffer {
  const data = db.read(oid)?.data
  return data
    ? Buffer.from(data.buffer, data.byteOffset, Math.min(data.length, MOST_OF_A_FILE))
    : Buffer.alloc(0)
}

function lineAt(data: Buffer, index: number): number {
  let line = 1
  for (let at = data.indexOf(10); at >= 0 && at < index; at = data.indexOf(10, at + 1)) line++
  return line
}

class Blobs {
  /** Bytes that were looked through. */
  read = 0
  private readonly clean = new Set<Oid>()
  private readonly dirty = new Map<Oid, readonly Hit[]>()
  private readonly pattern: RegExp

  constructor(
    private readonly db: ObjectReader,
    private readonly search: AddedSearch,
  ) {
    this.pattern = new RegExp(search.pattern, 'g')
  }

  hits(oid: Oid): readonly Hit[] {
    if (this.clean.has(oid)) return NONE
    const known = this.dirty.get(oid)
    if (known) return known
    const data = contentOf(this.db, oid)
    this.read += data.length
    // Bytes as text, each one character, so that any bytes will do.
    const hits =
      data.indexOf(this.search.word) < 0
        ? []
        : [...data.toString('latin1').matchAll(this.pattern)].map(({ 0: text, index }) => ({
            text,
            index,
          }))
    if (hits.length > 0) this.dirty.set(oid, hits)
    else {
      if (this.clean.size >= MOST_CLEAN) this.clean.clear()
      this.clean.add(oid)
    }
    return hits
  }
}
