/** Builds the commit-graph file of all commits that the tips reach (gitformat-commit-graph). */
import { sortOids } from '../pack/index-writer.ts'
import { FILTER_SETTINGS } from '../store/changed-paths.ts'
import type { CommitTable } from './commit-table.ts'
import { CommitMarks } from './commit-marks.ts'

const NO_PARENT = 0x70000000
const EDGE_FLAG = 0x80000000
/** The file has 34 bits for a time in seconds. */
const MAX_TIME_S = 2 ** 34 - 1
const MAX_GENERATION = 0x3fffffff

/** Provides changed-path filters: existing ones are copied, and at most `maxNew` are computed. */
export type PathFilterSource = {
  /** Returns a filter that exists already, or null. */
  existing(oids: Uint8Array, at: number): Uint8Array | null
  /**
   * Computes the filter of the differences between two root trees. Without a parent every path of
   * the tree is changed.
   */
  build(parentTree: string | null, tree: string): Uint8Array
  readonly maxNew: number
  /** Receives the number of commits whose filter is left for a later run. */
  onRemaining?(count: number): void
}

/** Returns the bytes of the file, or null without commits. Pauses regularly. */
export function* buildCommitGraph(
  table: CommitTable,
  tips: readonly number[],
  filters: PathFilterSource | null = null,
): Generator<'pause', Uint8Array | null, unknown> {
  const commits = yield* parentsFirst(table, tips)
  const count = commits.length
  if (count === 0) return null
  const oids = new Uint8Array(count * 20)
  commits.forEach((commit, i) =>
    oids.set(table.oids.subarray(commit * 20, commit * 20 + 20), i * 20),
  )
  const order = sortOids(oids, count)
  const generations = generationNumbers(table, commits)
  yield 'pause'
  const chunks = commitChunks(table, commits, oids, order, generations)
  if (filters !== null) chunks.push(...(yield* filterChunks(table, commits, order, filters)))
  return writeChunks(chunks)
}

/** Returns the topological level of each commit: one more than the maximum of its parents. */
function generationNumbers(table: CommitTable, commits: readonly number[]): Map<number, number> {
  const generations = new Map<number, number>()
  for (const commit of commits) {
    let level = 0
    for (let i = 0; i < table.parentCount(commit); i++)
      level = Math.max(level, generations.get(table.parent(commit, i))!)
    generations.set(commit, Math.min(level + 1, MAX_GENERATION))
  }
  return generations
}

/** Returns the chunks of ids and commit data. `order` has the row of `commits` by position. */
function commitChunks(
  table: CommitTable,
  commits: readonly number[],
  oids: Uint8Array,
  order: Uint32Array,
  generations: ReadonlyMap<number, number>,
): [string, Buffer][] {
  const positions = new Map<number, number>()
  order.forEach((row, position) => positions.set(commits[row]!, position))
  const fanout = Buffer.alloc(1024)
  const oidList = Buffer.alloc(commits.length * 20)
  const data = Buffer.alloc(commits.length * 36)
  const edges: number[] = []
  const counts = new Uint32Array(256)
  order.forEach((row, position) => {
    const commit = commits[row]!
    oidList.set(oids.subarray(row * 20, row * 20 + 20), position * 20)
    counts[oids[row * 20]!]!++
    const at = position * 36
    data.set(table.treeOids.subarray(commit * 20, commit * 20 + 20), at)
    const parents = Array.from(
      { length: table.parentCount(commit) },
      (_, i) => positions.get(table.parent(commit, i))!,
    )
    writeParents(data, at + 20, parents, edges)
    const time = Math.min(table.time(commit), MAX_TIME_S)
    data.writeUInt32BE(generations.get(commit)! * 4 + Math.floor(time / 4294967296), at + 28)
    data.writeUInt32BE(time % 4294967296, at + 32)
  })
  let sum = 0
  counts.forEach((each, byte) => fanout.writeUInt32BE((sum += each), byte * 4))
  const edgeBytes = Buffer.alloc(edges.length * 4)
  edges.forEach((edge, i) => edgeBytes.writeUInt32BE(edge, i * 4))
  const chunks: [string, Buffer][] = [
    ['OIDF', fanout],
    ['OIDL', oidList],
    ['CDAT', data],
  ]
  if (edges.length > 0) chunks.push(['EDGE', edgeBytes])
  return chunks
}

/** Writes the positions of a commit's parents. Of three or more, all but the first go to `edges`. */
function writeParents(data: Buffer, at: number, parents: readonly number[], edges: number[]): void {
  data.writeUInt32BE(parents[0] ?? NO_PARENT, at)
  if (parents.length <= 2) data.writeUInt32BE(parents[1] ?? NO_PARENT, at + 4)
  else {
    data.writeUInt32BE(EDGE_FLAG + edges.length, at + 4)
    parents
      .slice(1)
      .forEach((parent, i) => edges.push(i === parents.length - 2 ? EDGE_FLAG + parent : parent))
  }
}

/**
 * Returns the filters in the order of the ids. A filter that was not computed is empty, which git
 * treats as missing.
 */
function* filterChunks(
  table: CommitTable,
  commits: readonly number[],
  order: Uint32Array,
  filters: PathFilterSource,
): Generator<'pause', [string, Buffer][], unknown> {
  const hex = (commit: number): string =>
    Buffer.from(table.treeOids.subarray(commit * 20, commit * 20 + 20)).toString('hex')
  const built = new Map<number, Uint8Array>()
  const missing: number[] = []
  for (const commit of commits) {
    const existing = filters.existing(table.oids, commit * 20)
    if (existing === null) missing.push(commit)
    else built.set(commit, existing)
  }
  // The latest commits first, because most queries concern them.
  missing.sort((a, b) => table.time(b) - table.time(a))
  filters.onRemaining?.(Math.max(0, missing.length - filters.maxNew))
  for (const [i, commit] of missing.slice(0, filters.maxNew).entries()) {
    const parent = table.parentCount(commit) > 0 ? table.parent(commit, 0) : null
    built.set(commit, filters.build(parent === null ? null : hex(parent), hex(commit)))
    if (i % 16 === 15) yield 'pause'
  }
  const ends = Buffer.alloc(commits.length * 4)
  const head = Buffer.alloc(12)
  ;[FILTER_SETTINGS.version, FILTER_SETTINGS.hashes, FILTER_SETTINGS.bitsPerPath].forEach(
    (value, i) => head.writeUInt32BE(value, i * 4),
  )
  const parts: Uint8Array[] = [head]
  let end = 0
  order.forEach((row, position) => {
    const filter = built.get(commits[row]!)
    if (filter !== undefined) {
      parts.push(filter)
      end += filter.length
    }
    ends.writeUInt32BE(end, position * 4)
  })
  return [
    ['BIDX', ends],
    ['BDAT', Buffer.concat(parts)],
  ]
}

function writeChunks(chunks: readonly [string, Buffer][]): Uint8Array {
  const head = Buffer.alloc(8 + (chunks.length + 1) * 12)
  head.write('CGPH\x01\x01', 0, 'latin1')
  head[6] = chunks.length
  let at = head.length
  ;[...chunks, null].forEach((chunk, i) => {
    if (chunk !== null) head.write(chunk[0], 8 + i * 12, 'latin1')
    head.writeUInt32BE(Math.floor(at / 4294967296), 12 + i * 12)
    head.writeUInt32BE(at % 4294967296, 16 + i * 12)
    if (chunk !== null) at += chunk[1].length
  })
  const body = Buffer.concat([head, ...chunks.map(([, bytes]) => bytes)])
  return Buffer.concat([body, Bun.SHA1.hash(body) as Uint8Array])
}

/** Returns all commits that the tips reach, each after its parents. */
function* parentsFirst(
  table: CommitTable,
  tips: readonly number[],
): Generator<'pause', number[], unknown> {
  const entered = new CommitMarks()
  const left = new CommitMarks()
  const commits: number[] = []
  for (const tip of tips) {
    const stack = [tip]
    while (stack.length > 0) {
      const commit = stack[stack.length - 1]!
      if (entered.add(commit, 1)) {
        table.load(commit)
        for (let i = 0; i < table.parentCount(commit); i++) {
          const parent = table.parent(commit, i)
          if (!entered.get(parent)) stack.push(parent)
        }
        continue
      }
      stack.pop()
      if (!left.add(commit, 1)) continue
      commits.push(commit)
      if (commits.length % 4096 === 0) yield 'pause'
    }
  }
  return commits
}
