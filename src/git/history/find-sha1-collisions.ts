/**
 * Scans the objects that a range of history introduces for SHA-1 collision attacks. It reads every
 * object, so it runs in the background.
 */
import { bytesToOid, MODE, parseTag } from '../object.ts'
import { isLargeCollision, isSha1Collision } from '../pack/refuse-sha1-collisions.ts'
import { DetectorScratch, UbcCollisionDetector } from '../pack/sha1-collision-detector.ts'
import { typeName } from '../pack/entry-header.ts'
import { GitError, type Oid } from '../ports.ts'
import { MAX_MEMORY_CONTENT_BYTES } from '../store/large-content.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { isDir, readTree, TreeCursor } from './tree.ts'
import type { PausableWork } from './pausable-work.ts'

const MAX_COLLISIONS = 100

/**
 * The ids of objects of a range that show signs of a collision attack. Tips may be annotated tags,
 * which are scanned too. Throws GitError `missing` for an object that is not in the store.
 */
export function* findSha1Collisions(
  objects: ObjectStore,
  range: { readonly tips: readonly Oid[]; readonly hide?: readonly Oid[] },
): PausableWork<Oid[]> {
  const scan = new CollisionScan(objects)
  const commits: Oid[] = []
  for (const tip of range.tips) {
    const commit = yield* scan.scanTip(tip)
    if (commit !== null) commits.push(commit)
    yield 'pause'
  }
  const source = commitSource(objects)
  for (const { oid, tree, parents } of walkCommits(objects, { ...range, tips: commits })) {
    if (scan.found.length >= MAX_COLLISIONS) break
    yield* scan.scanObject(Buffer.from(oid, 'hex'), 0)
    const [first] = parents
    yield* scan.scanTree(tree, first === undefined ? null : source.get(first).tree)
  }
  return scan.found
}

class CollisionScan {
  readonly found: Oid[] = []
  private readonly seen = new OidMap(4096)
  private readonly scratch = new DetectorScratch()

  constructor(private readonly objects: ObjectStore) {}

  *scanObject(oid: Uint8Array, at: number): PausableWork<void> {
    const { objects } = this
    if (!objects.locate(oid, at)) return
    const id = bytesToOid(oid, at)
    const { reader } = objects
    const { type, size } = reader.headerAt(objects.pack, objects.offset)
    const detector = new UbcCollisionDetector(this.scratch)
    let isCollision: boolean
    if (size > MAX_MEMORY_CONTENT_BYTES)
      isCollision = yield* isLargeCollision(objects.blocks(id), typeName(type), size, detector)
    else {
      reader.load(objects.pack, objects.offset)
      const content = reader.bytes.subarray(reader.from, reader.to)
      isCollision = isSha1Collision(typeName(type), content, detector)
    }
    if (isCollision) this.found.push(id)
  }

  /** Scans the tags of a tip, and its tree or blob. Returns its commit, null for another object. */
  *scanTip(tip: Oid): PausableWork<Oid | null> {
    let oid = tip
    let object = this.objects.read(oid)
    while (object?.type === 'tag') {
      this.seen.addHex(oid)
      if (this.seen.added) yield* this.scanObject(Buffer.from(oid, 'hex'), 0)
      oid = parseTag(oid, object.data).object
      object = this.objects.read(oid)
    }
    if (object === null) throw new GitError('missing', `object ${oid} is missing`)
    if (object.type === 'commit') return oid
    if (object.type === 'tree') yield* this.scanTree(oid, null)
    else yield* this.scanObject(Buffer.from(oid, 'hex'), 0)
    return null
  }

  /** Scans a tree and the entries in which it differs from the tree before. */
  *scanTree(tree: Oid, before: Oid | null): PausableWork<void> {
    const { objects, seen } = this
    seen.addHex(tree)
    if (!seen.added) return
    yield* this.scanObject(Buffer.from(tree, 'hex'), 0)
    yield 'pause'
    const known = new Map<string, Oid>()
    const old = before === null ? null : new TreeCursor(readTree(objects, before))
    while (old?.next()) if (isDir(old.mode)) known.set(old.name(), old.oid())
    const now = readTree(objects, tree)
    const entries = new TreeCursor(now)
    while (entries.next()) {
      if (entries.mode === MODE.submodule) continue
      const oid = entries.oid()
      if (isDir(entries.mode)) {
        const was = known.get(entries.name()) ?? null
        if (was !== oid) yield* this.scanTree(oid, was)
        continue
      }
      seen.add(now, entries.oidStart)
      if (!seen.added) continue
      yield* this.scanObject(now, entries.oidStart)
      yield 'pause'
    }
  }
}
