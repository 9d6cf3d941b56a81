/**
 * Keeps objects out that were made for a SHA-1 collision, as git itself does (git-config, "sha1dc"
 * builds): whoever has two contents with one id could show one and have the other merged. Looking
 * costs much more than hashing, so a push waits for a bounded part of it only; the host has the
 * rest looked at afterwards.
 */
import { GitError } from '../ports.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { Task } from '../tasks/task.ts'
import { typeName } from './entry.ts'
import { CollisionFinder } from './sha1-collision.ts'

/** Bytes of new objects that are looked at while a push waits. */
const WHILE_WAITING = 4 << 20
/** Header and trailer, and what a pack of small objects has besides them. */
const SLACK = 1 << 16
/** Bytes after which others of the thread have their turn. */
const TURN = 1 << 18

/** What looks at one message: `CollisionFinder`, or a stand-in. */
export type Finder = { update(bytes: Uint8Array): void; digest(): unknown; readonly found: boolean }

/** Whether an object, as git hashes it, was made for a collision. */
export function isForged(
  type: string,
  data: Uint8Array,
  finder: Finder = new CollisionFinder(),
): boolean {
  finder.update(Buffer.from(`${type} ${data.length}\0`))
  finder.update(data)
  finder.digest()
  return finder.found
}

/**
 * Looks at what a pack brings that is not in the store yet; gives whether that was all of it.
 * Throws GitError `invalid` for an object that was made for a collision.
 */
export function* refuseForged(
  store: ObjectStore,
  pack: PackFile,
  most = WHILE_WAITING,
  finder: () => Finder = () => new CollisionFinder(),
): Task<boolean> {
  const { reader } = store
  const { index } = pack
  // What is looked at later is looked at whole: a part of it now would be work done twice.
  if (pack.size > most + SLACK) return false
  let bytes = 0
  let turn = 0
  for (let place = 0; place < index.count; place++) {
    if (store.locateKnown(index.raw, index.idAt(place))) continue
    if (bytes >= most || bytes + reader.headerAt(pack, index.offset(place)).size > most)
      return false
    reader.load(pack, index.offset(place))
    bytes += reader.to - reader.from
    if (isForged(typeName(reader.type), reader.bytes.subarray(reader.from, reader.to), finder())) {
      throw new GitError('invalid', `object ${index.oid(place)} was made for a collision of SHA-1`)
    }
    if (bytes - turn >= TURN) {
      turn = bytes
      yield 'pause'
    }
  }
  return true
}
