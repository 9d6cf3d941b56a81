/**
 * A tree that is changed path by path. Only the directories of changed paths are read and written.
 */
import { MODE, serializeTree } from '../object.ts'
import { GitError, type ObjectDatabase, type Oid } from '../ports.ts'
import { keyToBytes, type PathKey } from '../history/names.ts'
import { entriesOf, isDir, type Entry } from '../history/tree.ts'

type Folder = { readonly entries: Map<PathKey, Entry | Folder> }

const isFolder = (node: Entry | Folder): node is Folder => 'entries' in node

export class TreeEditor {
  private readonly root: Folder

  constructor(
    private readonly db: ObjectDatabase,
    tree: Oid | null,
  ) {
    this.root = tree === null ? { entries: new Map() } : this.open(tree)
  }

  private open(tree: Oid): Folder {
    return { entries: new Map<PathKey, Entry | Folder>(entriesOf(this.db, tree)) }
  }

  /** The folder at a path, loaded for changes; null when there is none. */
  private folder(segments: readonly PathKey[]): Folder | null {
    let at = this.root
    for (const segment of segments) {
      const child = at.entries.get(segment)
      if (!child) return null
      if (isFolder(child)) at = child
      else if (isDir(child.mode)) {
        const opened = this.open(child.oid)
        at.entries.set(segment, opened)
        at = opened
      } else return null
    }
    return at
  }

  private get(path: PathKey): Entry | Folder | null {
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    return this.folder(segments)?.entries.get(name) ?? null
  }

  /** The file (or link, or submodule) at a path, or null. */
  file(path: PathKey): Entry | null {
    const node = this.get(path)
    return node && !isFolder(node) && !isDir(node.mode) ? node : null
  }

  isFolderAt(path: PathKey): boolean {
    const node = this.get(path)
    return node !== null && (isFolder(node) || isDir(node.mode))
  }

  /**
   * Throws GitError `invalid` where a file is in place of a folder, or a folder in place of the
   * file.
   */
  put(path: PathKey, shown: string, entry: Entry): void {
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    let at = this.root
    for (const [depth, segment] of segments.entries()) {
      const child = at.entries.get(segment)
      if (child && !isFolder(child) && !isDir(child.mode)) {
        throw new GitError('invalid', `path ${JSON.stringify(shown)} lies below a file`)
      }
      const next = this.folder(segments.slice(0, depth + 1)) ?? { entries: new Map() }
      at.entries.set(segment, next)
      at = next
    }
    const there = at.entries.get(name)
    if (there && (isFolder(there) || isDir(there.mode)) && !this.isEmpty(there)) {
      throw new GitError('invalid', `path ${JSON.stringify(shown)} is a folder`)
    }
    at.entries.set(name, entry)
  }

  private isEmpty(node: Entry | Folder): boolean {
    return (
      isFolder(node) &&
      [...node.entries.values()].every((child) => isFolder(child) && this.isEmpty(child))
    )
  }

  remove(path: PathKey): void {
    const segments = path.split('/')
    const name = segments.pop() ?? ''
    this.folder(segments)?.entries.delete(name)
  }

  /** Writes the changed trees and returns the root tree. Folders without files are removed. */
  write(): Oid {
    return this.writeFolder(this.root) ?? this.db.write('tree', serializeTree([]))
  }

  private writeFolder(folder: Folder): Oid | null {
    const entries = []
    for (const [name, node] of folder.entries) {
      if (!isFolder(node)) entries.push({ ...node, name: keyToBytes(name) })
      else {
        const oid = this.writeFolder(node)
        if (oid !== null) entries.push({ mode: MODE.dir, oid, name: keyToBytes(name) })
      }
    }
    return entries.length === 0 ? null : this.db.write('tree', serializeTree(entries))
  }
}
