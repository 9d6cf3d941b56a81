/**
 * The files of a store: git's own layout, and the steps that make a pack durable before it is seen.
 */
import { syncDirectorySync } from '#lib/disk.ts'
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { writeAll } from '../pack/index-writer.ts'
import { GitError } from '../ports.ts'

/** Throws GitError `invalid` for a store name that is not one plain path segment. */
export function storeDirectory(root: string, store: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(store))
    throw new GitError('invalid', `"${store}" is not a name for a store`)
  return join(root, store)
}

export const packDirectory = (directory: string): string => join(directory, 'objects', 'pack')

/** Makes the directories and the two files that git wants to see; does nothing when they exist. */
export function makeStore(directory: string): void {
  mkdirSync(packDirectory(directory), { recursive: true })
  mkdirSync(join(directory, 'objects', 'info'), { recursive: true })
  mkdirSync(join(directory, 'refs'), { recursive: true })
  writeOnce(
    join(directory, 'config'),
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  )
  writeOnce(join(directory, 'HEAD'), 'ref: refs/heads/main\n')
  // From the inside out: a name that lasts may not lead to one that does not.
  for (const path of [
    packDirectory(directory),
    join(directory, 'objects'),
    directory,
    dirname(directory),
  ])
    syncDirectorySync(path)
}

/** Writes a small file unless it is there; after a power cut it is there whole or not at all. */
function writeOnce(path: string, text: string): void {
  if (existsSync(path)) return
  rmSync(`${path}.new`, { force: true })
  writeDurably(`${path}.new`, Buffer.from(text))
  renameSync(`${path}.new`, path)
}

/** A name that no other file has. */
export const randomName = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')

/** Writes a file, at once or part by part, and waits until it is on disk. */
export function writeDurably(path: string, content: Uint8Array | ((fd: number) => void)): void {
  const fd = openSync(path, 'wx', 0o444)
  try {
    if (typeof content === 'function') content(fd)
    else writeAll(fd, content)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

/**
 * Moves a synced pack and its index into a store and waits until the names are on disk. The name is
 * random rather than the checksum, so that two pushes of the same bytes never share a file that one
 * of them might take back. With `pending` the pack can be read but counts as uncertain until
 * `settle` or `withdraw`.
 */
export function installPack(
  directory: string,
  pack: string,
  index: string,
  pending: boolean,
): string {
  const name = `pack-${randomName()}`
  const base = join(packDirectory(directory), name)
  try {
    if (pending) writeFileSync(`${base}.pending`, '')
    renameSync(pack, `${base}.pack`)
    for (const ending of ['rev', 'mtimes']) {
      const beside = index.replace(/idx$/, ending)
      if (existsSync(beside)) renameSync(beside, `${base}.${ending}`)
    }
    renameSync(index, `${base}.idx`)
    syncDirectorySync(packDirectory(directory))
  } catch (error) {
    removePack(directory, name)
    throw error
  }
  return name
}

/** The push was applied: its pack is one like any other. */
export function settlePack(directory: string, name: string): void {
  rmSync(join(packDirectory(directory), `${name}.pending`), { force: true })
}

/** Removes a pack; its index goes first, so that no half of it is ever taken for a whole. */
export function removePack(directory: string, name: string): void {
  const base = join(packDirectory(directory), name)
  for (const ending of [
    '.idx',
    '.bitmap',
    '.rev',
    '.pack',
    '.mtimes',
    '.pending',
    '.keep',
    '.away',
  ])
    rmSync(base + ending, { force: true })
}

/** The packs of a store that have both files. */
export function listPacks(directory: string): string[] {
  let names: string[]
  try {
    names = readdirSync(packDirectory(directory))
  } catch {
    throw new GitError('missing', 'there is no such store')
  }
  const all = new Set(names)
  return names
    .filter((name) => name.endsWith('.idx') && all.has(`${name.slice(0, -4)}.pack`))
    .map((name) => name.slice(0, -4))
}

/**
 * Bytes of everything below a directory, and of packs that are away; files that vanish meanwhile
 * count as nothing.
 */
export function directorySize(directory: string): number {
  let total = 0
  const entries = readdirSync(directory, { withFileTypes: true })
  for (const entry of entries) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) total += directorySize(path)
    else if (entry.name.endsWith('.away'))
      total += entries.some(({ name }) => name === entry.name.replace(/away$/, 'pack'))
        ? 0
        : sizeInNote(path)
    else total += statSync(path, { throwIfNoEntry: false })?.size ?? 0
  }
  return total
}

/** The size that a note of a pack that is away tells (`away.ts`). */
function sizeInNote(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10) || 0
  } catch {
    return 0
  }
}

/**
 * After a start: removes what an ended process left unfinished. Temporaries go, and packs without
 * an index; packs that were pending stay (their refs may have moved), maintenance decides about
 * them. A pack that is away is no half one.
 */
export function sweepStore(directory: string): number {
  const packs = packDirectory(directory)
  if (!existsSync(packs)) return 0
  let removed = 0
  const names = readdirSync(packs)
  const all = new Set(names)
  for (const name of names) {
    const dot = name.lastIndexOf('.')
    const stem = name.slice(0, dot)
    const orphan =
      name.startsWith('pack-') &&
      !(all.has(`${stem}.idx`) && (all.has(`${stem}.pack`) || all.has(`${stem}.away`)))
    if (name.endsWith('.pending') || orphan || name.startsWith('tmp_')) {
      rmSync(join(packs, name), { force: true })
      if (!name.endsWith('.pending')) removed++
    }
  }
  return removed
}
