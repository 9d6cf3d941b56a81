/**
 * Finds the pointers of Git LFS that commits add or that a tree has. A pointer counts where the
 * attribute `filter=lfs` applies: elsewhere git gives the text of the pointer itself.
 */
import { MAX_LFS_POINTER_BYTES, parseLfsPointer, type LfsPointer } from '#lib/lfs-pointer.ts'
import { TreeAttributes } from '../attributes/index.ts'
import type {
  AddedPointers,
  AddedPointersSearch,
  ObjectReader,
  Oid,
  TreePointer,
} from '../ports.ts'
import { AddedFiles } from './added-files.ts'
import { commitSource } from './commit-source.ts'
import { walkTree } from './list-tree.ts'
import { walkCommits } from './log.ts'
import { keyToText, type PathKey } from './names.ts'
import type { PausableWork } from './pausable-work.ts'
import { isFile, treeOf } from './tree.ts'

/** Other work of the thread gets a turn after so many blobs. */
const BLOBS_PER_TURN = 1024
/** Blobs that are no pointers and are remembered. */
const MAX_OTHER_BLOBS = 1 << 19

/** Newest commits first; each file once, at a path where it was added. */
export function* findAddedPointers(
  db: ObjectReader,
  search: AddedPointersSearch,
): PausableWork<AddedPointers> {
  const blobs = new PointerBlobs(db)
  const source = commitSource(db)
  const files = new AddedFiles(db, {
    wants: (blob) => blobs.pointer(blob) !== null,
    isTurnOver: () => blobs.isTurnOver(),
  })
  const found = new Map<string, { path: string; oid: string; size: number }>()
  const { commits: maxCommits = Infinity, pointers: maxPointers = Infinity } = search.limits ?? {}
  let commits = 0
  for (const { parents, tree } of walkCommits(db, search)) {
    if (commits >= maxCommits || found.size >= maxPointers)
      return { pointers: [...found.values()], complete: false }
    commits++
    const [parent] = parents
    const added = yield* files.find(parent === undefined ? null : source.get(parent).tree, tree)
    const attributes = new TreeAttributes(db, tree)
    for (const { path, new: entry } of added) {
      const pointer = isFile(entry.mode) ? blobs.pointer(entry.oid) : null
      if (pointer === null || found.has(pointer.oid)) continue
      if (search.anyPath || isLfsPath(attributes, path))
        found.set(pointer.oid, { path: keyToText(path), ...pointer })
    }
    if (commits % 64 === 0) yield 'pause'
  }
  return { pointers: [...found.values()], complete: true }
}

/** The pointers in the tree of a commit, each blob once. At most `limit`. */
export function* listPointers(
  db: ObjectReader,
  commit: Oid,
  limit: number,
): PausableWork<readonly TreePointer[]> {
  const tree = treeOf(db, commit)
  const attributes = new TreeAttributes(db, tree)
  const blobs = new PointerBlobs(db)
  const found = new Map<Oid, TreePointer>()
  for (const { path, entry } of walkTree(db, tree)) {
    if (found.size >= limit) break
    if (!isFile(entry.mode) || found.has(entry.oid)) continue
    const pointer = blobs.pointer(entry.oid)
    if (pointer !== null && isLfsPath(attributes, path))
      found.set(entry.oid, { blob: entry.oid, ...pointer })
    if (blobs.isTurnOver()) yield 'pause'
  }
  return [...found.values()]
}

export const isLfsPath = (attributes: TreeAttributes, path: PathKey): boolean =>
  attributes.of(path).get('filter') === 'lfs'

/** Reads blobs that are small enough to be pointers, each once. */
class PointerBlobs {
  private read = 0
  private readonly others = new Set<Oid>()
  private readonly pointers = new Map<Oid, LfsPointer>()

  constructor(private readonly db: ObjectReader) {}

  isTurnOver(): boolean {
    if (this.read < BLOBS_PER_TURN) return false
    this.read = 0
    return true
  }

  pointer(blob: Oid): LfsPointer | null {
    if (this.others.has(blob)) return null
    const known = this.pointers.get(blob)
    if (known) return known
    this.read++
    const header = this.db.header(blob)
    const isSmall = header?.type === 'blob' && header.size <= MAX_LFS_POINTER_BYTES
    const data = isSmall ? this.db.read(blob)?.data : undefined
    const pointer = data ? parseLfsPointer(data) : null
    if (pointer !== null) this.pointers.set(blob, pointer)
    else {
      if (this.others.size >= MAX_OTHER_BLOBS) this.others.clear()
      this.others.add(blob)
    }
    return pointer
  }
}
