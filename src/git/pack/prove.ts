/**
 * Proves that a received pack may become part of a store. Every id that its objects name must be
 * the pack's own or
 * visible to the namespace that is pushed to:
 *
 * - a commit is visible when the refs reach it;
 * - a tree or blob is visible when it is found while the new trees are compared with those of
 *   visible parents, which
 *   covers what ordinary pushes leave out at the cost of the changed directories;
 * - what is left (a revert to old content, say) must turn up in a walk from the refs back through
 *   their history.
 */
import { COMMIT, typeName } from './entry.ts'
import { GitError } from '../ports.ts'
import { copyBytes } from '../store/copy-bytes.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { OverlayStore } from '../store/overlay-store.ts'
import type { PackFile } from '../store/pack-file.ts'
import type { OpenStore } from '../tasks/open-store.ts'
import type { Task } from '../tasks/task.ts'
import { Collector, type Base } from '../walk/collect.ts'
import { CommitTable } from '../walk/commit-table.ts'
import type { LinkTable } from './links.ts'
import type { Rows } from './rows.ts'
import { checkAttributes, checkModules } from './settings-files.ts'

/** Throws GitError `missing` or `invalid` for the first id that fails. */
export function* proveLinks(
  store: OpenStore,
  overlay: OverlayStore,
  rows: Rows,
  links: LinkTable,
  tips: Uint8Array,
): Task<void> {
  for (let row = 0; row < rows.count; row++) links.checkType(rows.ids[row]!, rows.types[row]!)
  const outside: number[] = []
  for (let id = 0; id < links.ids.size; id++) if (!links.isOwn(id)) outside.push(id)
  if (outside.length === 0) return

  const reach = store.reach(tips)
  const oids = links.ids.bytes
  const contents: number[] = []
  const parents = new Set<string>()
  for (const id of outside) {
    const oid = links.ids.hex(id)
    const header = store.objects.header(oid)
    const expected = links.expected(id)
    if (header === null) throw missing(oid)
    if (expected !== 0 && typeName(expected) !== header.type)
      throw new GitError('invalid', `object ${oid} is not a ${typeName(expected)}`)
    if (header.type === 'commit') {
      if (!reach.has(store.commits.number(oids, id * 20), true)) throw missing(oid)
      parents.add(oid)
    } else if (reach.isNamed(oid)) continue
    else if (header.type === 'tag') throw missing(oid)
    else contents.push(id)
  }
  if (contents.length === 0) return
  const known = yield* compareWithParents(overlay, rows, links, parents)
  const unproven: Uint8Array[] = []
  for (const id of contents)
    if (known.get(oids, id * 20) < 0) unproven.push(oids.subarray(id * 20, id * 20 + 20))
  if (unproven.length === 0) return
  const hidden = yield* store.visible(tips).firstHidden(Buffer.concat(unproven))
  if (hidden !== null) throw missing(hidden)
}

/**
 * Everything that comparing the new commits' trees with their parents' shows to be in visible
 * trees.
 */
function* compareWithParents(
  overlay: OverlayStore,
  rows: Rows,
  links: LinkTable,
  visible: ReadonlySet<string>,
): Task<Collector['known']> {
  const table = new CommitTable(overlay)
  const commits: number[] = []
  for (let row = 0; row < rows.count; row++) {
    if (rows.types[row] !== COMMIT) continue
    const commit = table.number(links.ids.bytes, rows.ids[row]! * 20)
    table.load(commit)
    commits.push(commit)
  }
  commits.sort((a, b) => table.time(a) - table.time(b))
  const collector = new Collector(overlay)
  let steps = 0
  for (const commit of commits) {
    const bases: Base[] = []
    for (let i = 0; i < table.parentCount(commit); i++) {
      const parent = table.parent(commit, i)
      table.load(parent)
      bases.push({ bytes: table.treeOids, at: parent * 20, known: visible.has(table.oid(parent)) })
    }
    collector.addTree(table.treeOids, commit * 20, bases)
    if (++steps % 64 === 0) yield 'pause'
  }
  return collector.known
}

/**
 * Throws GitError `invalid` when an object of the pack is in the store with other content: a
 * collision of SHA-1.
 */
export function* checkCollisions(store: ObjectStore, pack: PackFile): Task<void> {
  const { reader } = store
  const { index } = pack
  for (let place = 0; place < index.count; place++) {
    if (place % 4096 === 4095) yield 'pause'
    if (!store.locateKnown(index.raw, index.idAt(place))) continue
    reader.load(store.pack, store.offset)
    const type = reader.type
    const have = copyBytes(reader.bytes, reader.from, reader.to)
    reader.load(pack, index.offset(place))
    const same =
      reader.type === type &&
      Buffer.compare(have, reader.bytes.subarray(reader.from, reader.to)) === 0
    if (!same)
      throw new GitError('invalid', `object ${index.oid(place)} is in the store with other content`)
  }
}

/** Checks `.gitmodules` and `.gitattributes` files of the pack. Throws GitError `invalid`. */
export function checkSettings(overlay: OverlayStore, links: LinkTable): void {
  for (const { id, kind } of links.settingsFiles) {
    if (!links.isOwn(id)) continue
    const object = overlay.read(links.ids.hex(id))
    if (object === null) throw missing(links.ids.hex(id))
    if (object.type !== 'blob') throw new GitError('invalid', `${kind}Blob: .${kind} is not a file`)
    if (kind === 'gitmodules') checkModules(object.data)
    else checkAttributes(object.data)
  }
}

const missing = (oid: string) => new GitError('missing', `object ${oid} is missing`)
