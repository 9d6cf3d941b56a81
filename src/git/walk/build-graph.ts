/** Makes the commit-graph file of everything that tips reach (gitformat-commit-graph). */
import { sortOids } from '../pack/index-writer.ts'
import { FILTER_SETTINGS } from '../store/changed-paths.ts'
import type { CommitTable } from './commit-table.ts'
import { Marks } from './marks.ts'

const NONE = 0x70000000
const EDGE = 0x80000000
/** Times take 34 bits. */
const MAX_TIME = 2 ** 34 - 1
const MAX_GENERATION = 0x3fffffff

/**
 * Makes filters of changed paths: those that are there are kept, and at most `most` are made anew.
 */
export type Filters = {
  /** A filter that is there already, or null. */
  have(oids: Uint8Array, at: number): Uint8Array | null
  /**
   * The filter of what differs between two root trees; without a parent everything in the tree
   * does.
   */
  make(parentTree: string | null, tree: string): Uint8Array
  readonly most: number
  /** Told how many are left for another time. */
  left?(count: number): void
}

/** The bytes of the file, or null when there are no commits. Pauses now and then. */
export function* buildCommitGraph(
  table: CommitTable,
  tips: readonly number[],
  filters: Filters | null = null,
): Generator<'pause', Uint8Array | null, unknown> {
  const commits = yield* parentsFirst(table, tips)
  const count = commits.length
  if (count === 0) return null
  const oids = new Uint8Array(count * 20)
  commits.forEach((commit, i) =>
    oids.set(table.oids.subarray(commit * 20, commit * 20 + 20), i * 20),
  )
  const order = sortOids(oids, count)
  const positions = new Map<number, number>()
  order.forEach((row, position) => positions.set(commits[row]!, position))
  const generations = new Map<number, number>()
  for (const commit of commits) {
    let level = 0
    for (let i = 0; i < table.parentCount(commit); i++)
      level = Math.max(level, generations.get(table.parent(commit, i))!)
    generations.set(commit, Math.min(level + 1, MAX_GENERATION))
  }
  yield 'pause'

  const fanout = Buffer.alloc(1024)
  const names = Buffer.alloc(count * 20)
  const data = Buffer.alloc(count * 36)
  const edges: number[] = []
  const counts = new Uint32Array(256)
  order.forEach((row, position) => {
    const commit = commits[row]!
    names.set(oids.subarray(row * 20, row * 20 + 20), position * 20)
    counts[oids[row * 20]!]!++
    const at = position * 36
    data.set(table.treeOids.subarray(commit * 20, commit * 20 + 20), at)
    const parents = Array.from(
      { length: table.parentCount(commit) },
      (_, i) => positions.get(table.parent(commit, i))!,
    )
    data.writeUInt32BE(parents[0] ?? NONE, at + 20)
    if (parents.length <= 2) data.writeUInt32BE(parents[1] ?? NONE, at + 24)
    else {
      data.writeUInt32BE(EDGE + edges.length, at + 24)
      parents
        .slice(1)
        .forEach((parent, i) => edges.push(i === parents.length - 2 ? EDGE + parent : parent))
    }
    const time = Math.min(table.time(commit), MAX_TIME)
    data.writeUInt32BE(generations.get(commit)! * 4 + Math.floor(time / 4294967296), at + 28)
    data.writeUInt32BE(time % 4294967296, at + 32)
  })
  let sum = 0
  counts.forEach((each, byte) => fanout.writeUInt32BE((sum += each), byte * 4))
  const edgeBytes = Buffer.alloc(edges.length * 4)
  edges.forEach((edge, i) => edgeBytes.writeUInt32BE(edge, i * 4))
  const chunks: [string, Buffer][] = [
    ['OIDF', fanout],
    ['OIDL', names],
    ['CDAT', data],
  ]
  if (edges.length > 0) chunks.push(['EDGE', edgeBytes])
  if (filters !== null) chunks.push(...(yield* filterChunks(table, commits, order, filters)))
  return assemble(chunks)
}

/**
 * The filters in the order of the ids; those that are not made this time are empty, which git takes
 * for not made.
 */
function* filterChunks(
  table: CommitTable,
  commits: readonly number[],
  order: Uint32Array,
  filters: Filters,
): Generator<'pause', [string, Buffer][], unknown> {
  const hex = (commit: number): string =>
    Buffer.from(table.treeOids.subarray(commit * 20, commit * 20 + 20)).toString('hex')
  const made = new Map<number, Uint8Array>()
  const missing: number[] = []
  for (const commit of commits) {
    const have = filters.have(table.oids, commit * 20)
    if (have === null) missing.push(commit)
    else made.set(commit, have)
  }
  // The latest first: most questions are about them.
  missing.sort((a, b) => table.time(b) - table.time(a))
  filters.left?.(Math.max(0, missing.length - filters.most))
  for (const [i, commit] of missing.slice(0, filters.most).entries()) {
    const parent = table.parentCount(commit) > 0 ? table.parent(commit, 0) : null
    made.set(commit, filters.make(parent === null ? null : hex(parent), hex(commit)))
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
    const filter = made.get(commits[row]!)
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

function assemble(chunks: readonly [string, Buffer][]): Uint8Array {
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

/** All commits that the tips reach, each behind its parents. */
function* parentsFirst(
  table: CommitTable,
  tips: readonly number[],
): Generator<'pause', number[], unknown> {
  const entered = new Marks()
  const left = new Marks()
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
