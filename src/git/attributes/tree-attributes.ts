/**
 * The attributes of paths from the `.gitattributes` files of one tree. Files nearer to a path win;
 * within a file, the last matching rule wins. A file is read when a path below it is queried.
 */
import type { ObjectReader, Oid } from '../ports.ts'
import { bytesToKey, parentKey, type PathKey } from '../history/names.ts'
import { isDir, isFile, readBlob, readTree, TreeCursor } from '../history/tree.ts'
import { nameMatches, pathMatches } from './glob.ts'
import { parseAttributes, type AttributeFile, type AttributeValue, type Setting } from './parse.ts'

export type Attributes = ReadonlyMap<string, AttributeValue>

const NAME = Buffer.from('.gitattributes')
const MAX_FILE_BYTES = 512 * 1024

/** `binary` is the only macro that git predefines. */
const BUILT_IN: ReadonlyMap<string, readonly Setting[]> = new Map([
  [
    'binary',
    [
      ['diff', false],
      ['merge', false],
      ['text', false],
    ],
  ],
])
const NOTHING: Attributes = new Map()
const MAX_MACROS = 20

/** A file and the number of path segments above it. */
type FileAt = { readonly depth: number; readonly file: AttributeFile }

type Level = { readonly tree: Oid | null; readonly file: AttributeFile | null }

export class TreeAttributes {
  private readonly levels = new Map<PathKey, Level>()
  /** The files of a directory and of those above it, by directory. Most have the same few. */
  private readonly fileLists = new Map<PathKey, readonly FileAt[]>()

  constructor(
    private readonly db: ObjectReader,
    private readonly root: Oid,
  ) {}

  /** The attributes of a file, or of a directory. */
  of(path: PathKey, isDirectory = false): Attributes {
    const files = this.filesAbove(parentKey(path))
    if (files.length === 0) return NOTHING
    const parts = path.split('/')
    const name = parts.at(-1) ?? ''
    const found = new Map<string, AttributeValue>()
    const macros = this.level('').file?.macros ?? BUILT_IN
    for (const { depth, file } of files) {
      const below = parts.slice(depth)
      for (const { pattern, anchored, isDirectory: wantsDirectory, settings } of file.rules) {
        if (wantsDirectory && !isDirectory) continue
        if (!(anchored ? pathMatches(pattern, below) : nameMatches(pattern[0] ?? '', name)))
          continue
        for (const setting of settings) set(found, setting, macros, 0)
      }
    }
    return found.size === 0 ? NOTHING : found
  }

  /** From the root down. */
  private filesAbove(directory: PathKey): readonly FileAt[] {
    const missing: PathKey[] = []
    let known = this.fileLists.get(directory)
    for (let at = directory; known === undefined; known = this.fileLists.get(at)) {
      missing.push(at)
      if (at === '') break
      at = parentKey(at)
    }
    let files = known ?? []
    for (const at of missing.reverse()) {
      const { file } = this.level(at)
      const depth = at === '' ? 0 : at.split('/').length
      if (file !== null) files = [...files, { depth, file }]
      this.fileLists.set(at, files)
    }
    return files
  }

  private level(directory: PathKey): Level {
    const known = this.levels.get(directory)
    if (known) return known
    const level = this.read(directory)
    this.levels.set(directory, level)
    return level
  }

  private read(directory: PathKey): Level {
    const tree = directory === '' ? this.root : this.subtree(directory)
    if (tree === null) return { tree, file: null }
    const cursor = new TreeCursor(readTree(this.db, tree))
    while (cursor.next()) {
      // As in git, a symbolic link is not followed.
      if (!cursor.nameIs(NAME) || !isFile(cursor.mode)) continue
      const data = readBlob(this.db, cursor.oid())
      if (data.length > MAX_FILE_BYTES) break
      const top = directory === ''
      return {
        tree,
        file: parseAttributes(bytesToKey(data), {
          top,
          known: top ? BUILT_IN : (this.level('').file?.macros ?? BUILT_IN),
        }),
      }
    }
    return { tree, file: null }
  }

  private subtree(directory: PathKey): Oid | null {
    const { tree } = this.level(parentKey(directory))
    if (tree === null) return null
    const name = Buffer.from(directory.slice(directory.lastIndexOf('/') + 1), 'latin1')
    const cursor = new TreeCursor(readTree(this.db, tree))
    while (cursor.next()) if (isDir(cursor.mode) && cursor.nameIs(name)) return cursor.oid()
    return null
  }
}

function set(
  found: Map<string, AttributeValue>,
  [name, value]: Setting,
  macros: ReadonlyMap<string, readonly Setting[]>,
  depth: number,
): void {
  found.set(name, value)
  const macro = value === true && depth < MAX_MACROS ? macros.get(name) : undefined
  for (const setting of macro ?? []) set(found, setting, macros, depth + 1)
}
