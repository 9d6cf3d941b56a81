/**
 * Looks through the objects that a range of history brings for those that were made for a SHA-1
 * collision; a long work for a quiet moment.
 */
import { MODE, parseTag } from '../object.ts'
import { isForged } from '../pack/forged.ts'
import { typeName } from '../pack/entry.ts'
import { GitError, type Oid } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import { OidMap } from '../store/oid-map.ts'
import { commitSource } from './commit-source.ts'
import { walkCommits } from './log.ts'
import { isDir, readTree, TreeCursor } from './tree.ts'
import type { Turns } from './turns.ts'

const MOST_FOUND = 100

/**
 * Ids of objects of the range; tips may be annotated tags, which count as well. Throws GitError
 * `missing` for what is not there.
 */
export function* findForged(
  objects: ObjectStore,
  range: { readonly tips: readonly Oid[]; readonly hide?: readonly Oid[] },
): Turns<Oid[]> {
  const found: Oid[] = []
  const seen = new OidMap(4096)
  const source = commitSource(objects)
  const look = (oid: Uint8Array, at: number): void => {
    if (!objects.load(oid, at)) return
    const { reader } = objects
    if (isForged(typeName(reader.type), reader.bytes.subarray(reader.from, reader.to)))
      found.push(Buffer.from(oid.subarray(at, at + 20)).toString('hex'))
  }
  /** What a tree holds at places where the one before has something else. */
  function* below(tree: Oid, before: Oid | null): Generator<'pause', void, unknown> {
    seen.addHex(tree)
    if (!seen.added) return
    look(Buffer.from(tree, 'hex'), 0)
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
        if (was !== oid) yield* below(oid, was)
        continue
      }
      seen.add(now, entries.oidStart)
      if (!seen.added) continue
      look(now, entries.oidStart)
      yield 'pause'
    }
  }
  const commits: Oid[] = []
  for (const tip of range.tips) {
    let at = objects.read(tip)
    let oid = tip
    while (at?.type === 'tag') {
      seen.addHex(oid)
      if (seen.added) look(Buffer.from(oid, 'hex'), 0)
      oid = parseTag(oid, at.data).object
      at = objects.read(oid)
    }
    if (at === null) throw new GitError('missing', `object ${oid} is missing`)
    if (at.type === 'commit') commits.push(oid)
    else if (at.type === 'tree') yield* below(oid, null)
    else look(Buffer.from(oid, 'hex'), 0)
    yield 'pause'
  }
  for (const { oid, tree, parents } of walkCommits(objects, { ...range, tips: commits })) {
    if (found.length >= MOST_FOUND) break
    look(Buffer.from(oid, 'hex'), 0)
    const [first] = parents
    yield* below(tree, first === undefined ? null : source.get(first).tree)
  }
  return found
}
