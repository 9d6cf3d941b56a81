/** Writes a commit-graph file (gitformat-commit-graph). */
import { FILTER_SETTINGS } from '../store/changed-paths.ts'
import { EDGE_FLAG, NO_PARENT } from '../store/commit-graph.ts'
import { HashingWriter } from '../store/hashing-writer.ts'
import type { CommitGraphRows } from './commit-graph-rows.ts'
import type { PathFilters } from './path-filters.ts'

/** Writes the file to `fd` and pauses regularly. */
export function* writeCommitGraph(
  fd: number,
  rows: CommitGraphRows,
  filters: PathFilters,
): Generator<'pause', void, unknown> {
  const writer = new HashingWriter(fd)
  const fanout = new Uint32Array(256)
  let edgeCount = 0
  let filterBytes = 0
  yield* rows.forEach((position) => {
    fanout[rows.oidBytes(position)[rows.oidAt(position)]!]!++
    const parents = rows.parentCount(position)
    if (parents > 2) edgeCount += parents - 1
    filterBytes += filters.length(position)
  })
  writeHeader(writer, [
    ['OIDF', 1024],
    ['OIDL', rows.count * 20],
    ['CDAT', rows.count * 36],
    ['EDGE', edgeCount * 4],
    ['BIDX', rows.count * 4],
    ['BDAT', 12 + filterBytes],
  ])
  let sum = 0
  for (const count of fanout) writer.put32((sum += count))
  yield* rows.forEach((position) => {
    const at = rows.oidAt(position)
    writer.put(rows.oidBytes(position), at, at + 20)
  })
  yield* writeCommitData(writer, rows)
  let end = 0
  yield* rows.forEach((position) => writer.put32((end += filters.length(position))))
  for (const value of [
    FILTER_SETTINGS.version,
    FILTER_SETTINGS.hashes,
    FILTER_SETTINGS.bitsPerPath,
  ])
    writer.put32(value)
  const put = (bytes: Uint8Array, from: number, to: number) => writer.put(bytes, from, to)
  yield* rows.forEach((position) => filters.copy(position, put))
  writer.finish()
}

/** Writes the header and the table of the chunks that are not empty. */
function writeHeader(
  writer: HashingWriter,
  chunks: readonly (readonly [name: string, bytes: number])[],
): void {
  const present = chunks.filter(([, bytes]) => bytes > 0)
  writer.put(Buffer.from(`CGPH\x01\x01${String.fromCharCode(present.length)}\0`, 'latin1'), 0, 8)
  let at = 8 + (present.length + 1) * 12
  for (const [name, bytes] of [...present, ['\0\0\0\0', 0] as const]) {
    writer.put(Buffer.from(name, 'latin1'), 0, 4)
    writer.put32(Math.floor(at / 4294967296))
    writer.put32(at % 4294967296)
    at += bytes
  }
}

/** Writes the trees, parents, generations and times, and then the parents of octopus merges. */
function* writeCommitData(
  writer: HashingWriter,
  rows: CommitGraphRows,
): Generator<'pause', void, unknown> {
  const edges: number[] = []
  yield* rows.forEach((position) => {
    const tree = rows.treeAt(position)
    writer.put(rows.treeBytes(position), tree, tree + 20)
    writeParents(writer, rows, position, edges)
    const time = rows.time(position)
    writer.put32(rows.generation(position) * 4 + Math.floor(time / 4294967296))
    writer.put32(time % 4294967296)
  })
  for (const edge of edges) writer.put32(edge)
}

/** Writes the positions of a commit's parents. Of three or more, all but the first go to `edges`. */
function writeParents(
  writer: HashingWriter,
  rows: CommitGraphRows,
  position: number,
  edges: number[],
): void {
  const count = rows.parentCount(position)
  writer.put32(count > 0 ? rows.parent(position, 0) : NO_PARENT)
  if (count <= 2) writer.put32(count === 2 ? rows.parent(position, 1) : NO_PARENT)
  else {
    writer.put32(EDGE_FLAG + edges.length)
    for (let nth = 1; nth < count; nth++)
      edges.push(rows.parent(position, nth) + (nth === count - 1 ? EDGE_FLAG : 0))
  }
}
