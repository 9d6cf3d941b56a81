/**
 * Checks that a received pack keeps the store closed under references (git's connectivity check).
 * Every id that its objects name must be in the pack or visible to the namespace that is pushed to.
 *
 * - A commit is visible when the refs reach it.
 * - A tree or blob is visible when a tree of a visible parent holds it. Comparing the new trees
 *   with their parents' trees shows this, and costs no more than the changed directories.
 * - Every other id, for example after a revert to old content, must be found by a walk from the
 *   refs back through history.
 */
import { COMMIT, typeName } from './entry-header.ts'
import { GitError, type Oid } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { EntryReader } from '../store/entry-reader.ts'
import { MAX_MEMORY_CONTENT_BYTES } from '../store/large-content.ts'
import { digestContent, readLargeObject } from '../store/large-object.ts'
import type { OverlayStore } from '../store/overlay-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import { ObjectCollector, type BaseTree } from '../walk/object-collector.ts'
import { CommitTable } from '../walk/commit-table.ts'
import type { LinkTable } from './link-table.ts'
import type { EntryTable } from './entry-table.ts'
import { checkGitattributes, checkGitmodules } from './fsck-blobs.ts'

/** Throws GitError `missing` or `invalid` for the first id that fails the check. */
export function* checkConnectivity(
  store: OpenStore,
  overlay: OverlayStore,
  entries: EntryTable,
  links: LinkTable,
  tips: Uint8Array,
  /** Parents of shallow roots, which nobody has. */
  absent: ReadonlySet<Oid>,
): Task<void> {
  for (let row = 0; row < entries.count; row++)
    links.requireType(entries.ids[row]!, entries.types[row]!)
  const outside: number[] = []
  for (let id = 0; id < links.ids.size; id++) if (!links.isOwned(id)) outside.push(id)
  if (outside.length === 0) return

  const reach = store.reach(tips)
  const oids = links.ids.bytes
  const treesAndBlobs: number[] = []
  const parents = new Set<string>()
  for (const id of outside) {
    const oid = links.ids.hex(id)
    if (absent.has(oid)) continue
    const header = store.objects.header(oid)
    const expected = links.expected(id)
    if (header === null) throw missingObject(oid)
    if (expected !== 0 && typeName(expected) !== header.type)
      throw new GitError('invalid', `object ${oid} is not a ${typeName(expected)}`)
    if (header.type === 'commit') {
      if (!reach.has(store.commits.numberOfRaw(oids, id * 20), true)) throw missingObject(oid)
      parents.add(oid)
    } else if (reach.isNamed(oid)) continue
    else if (header.type === 'tag') throw missingObject(oid)
    else treesAndBlobs.push(id)
  }
  if (treesAndBlobs.length === 0) return
  const known = yield* collectFromParents(overlay, entries, links, parents)
  const unproven: Uint8Array[] = []
  for (const id of treesAndBlobs)
    if (known.get(oids, id * 20) < 0) unproven.push(oids.subarray(id * 20, id * 20 + 20))
  if (unproven.length === 0) return
  const hidden = yield* store.visible(tips).firstHidden(Buffer.concat(unproven))
  if (hidden !== null) throw missingObject(hidden)
}

/**
 * Returns the objects of visible trees that a comparison of the new commits with their parents
 * finds.
 */
function* collectFromParents(
  overlay: OverlayStore,
  entries: EntryTable,
  links: LinkTable,
  visible: ReadonlySet<string>,
): Task<ObjectCollector['known']> {
  const table = new CommitTable(overlay)
  const commits: number[] = []
  for (let row = 0; row < entries.count; row++) {
    if (entries.types[row] !== COMMIT) continue
    const commit = table.numberOfRaw(links.ids.bytes, entries.ids[row]! * 20)
    table.load(commit)
    commits.push(commit)
  }
  commits.sort((a, b) => table.time(a) - table.time(b))
  const collector = new ObjectCollector(overlay)
  let steps = 0
  for (const commit of commits) {
    const bases: BaseTree[] = []
    for (let i = 0; i < table.parentCount(commit); i++) {
      const parent = table.parent(commit, i)
      table.load(parent)
      bases.push({
        bytes: table.treeOids,
        at: parent * 20,
        isKnown: visible.has(table.oid(parent)),
      })
    }
    collector.addTree(table.treeOids, commit * 20, bases)
    if (++steps % 64 === 0) yield 'pause'
  }
  return collector.known
}

type PackEntry = { readonly pack: PackFile; readonly offset: number }

/** Bytes of compared objects after which other tasks of the thread may run. */
const PAUSE_EVERY_BYTES = 4 << 20

function isSameObject(reader: EntryReader, a: PackEntry, b: PackEntry): boolean {
  reader.load(a.pack, a.offset)
  const type = reader.type
  const bytes = copyBytes(reader.bytes, reader.from, reader.to)
  reader.load(b.pack, b.offset)
  return (
    reader.type === type &&
    Buffer.compare(bytes, reader.bytes.subarray(reader.from, reader.to)) === 0
  )
}

/** The same for objects that are too large for memory. */
function* isSameLargeObject(reader: EntryReader, a: PackEntry, b: PackEntry): Task<boolean> {
  const first = reader.headerAt(a.pack, a.offset)
  const second = reader.headerAt(b.pack, b.offset)
  if (first.type !== second.type || first.size !== second.size) return false
  const digests: string[] = []
  for (const { pack, offset } of [a, b]) {
    const content = yield* readLargeObject(reader, pack, offset, b.pack.base)
    try {
      digests.push(yield* digestContent(content))
    } finally {
      content.close()
    }
  }
  return digests[0] === digests[1]
}

/**
 * Throws GitError `invalid` when the store has an object of the pack with other content, which is a
 * SHA-1 collision.
 */
export function* requireSameContent(store: ObjectStore, pack: PackFile): Task<void> {
  const { index } = pack
  let comparedBytes = 0
  for (let indexPos = 0; indexPos < index.count; indexPos++) {
    if (indexPos % 4096 === 4095) yield 'pause'
    if (!store.locateKnown(index.raw, index.oidAt(indexPos))) continue
    const stored: PackEntry = { pack: store.pack, offset: store.offset }
    const received: PackEntry = { pack, offset: index.offset(indexPos) }
    const { size } = store.reader.headerAt(pack, received.offset)
    comparedBytes += size
    const same =
      size > MAX_MEMORY_CONTENT_BYTES
        ? yield* isSameLargeObject(store.reader, stored, received)
        : isSameObject(store.reader, stored, received)
    if (comparedBytes > PAUSE_EVERY_BYTES) {
      comparedBytes = 0
      yield 'pause'
    }
    if (!same)
      throw new GitError(
        'invalid',
        `object ${index.oid(indexPos)} is in the store with other content`,
      )
  }
}

/**
 * Checks the `.gitmodules` and `.gitattributes` files that trees of the pack name. A file may be an
 * older blob, which was pushed under another name. Throws GitError `invalid`.
 */
export function* checkSettingsFiles(overlay: OverlayStore, links: LinkTable): Task<void> {
  for (const { id, kind } of links.settingsFiles) {
    yield 'pause'
    const object = overlay.read(links.ids.hex(id))
    if (object === null) throw missingObject(links.ids.hex(id))
    if (object.type !== 'blob') throw new GitError('invalid', `${kind}Blob: .${kind} is not a file`)
    if (kind === 'gitmodules') checkGitmodules(object.data)
    else checkGitattributes(object.data)
  }
}

const missingObject = (oid: string) => new GitError('missing', `object ${oid} is missing`)
