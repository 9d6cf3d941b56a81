/**
 * The files of a store in git's own layout, and the steps that make a pack durable before it
 * becomes visible.
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
import { writeAll } from './hashing-writer.ts'
import { GitError } from '../ports.ts'

/**
 * Returns the directory of a store. Throws GitError `invalid` for a name that is not one plain path
 * segment.
 */
export function storeDirectory(root: string, store: string): string {
  if (!/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(store))
    throw new GitError('invalid', `"${store}" is not a name for a store`)
  return join(root, store)
}

export const packDirectory = (directory: string): string => join(directory, 'objects', 'pack')

/** Creates the directories and the two files that git requires. Existing ones stay. */
export function makeStore(directory: string): void {
  mkdirSync(packDirectory(directory), { recursive: true })
  mkdirSync(join(directory, 'objects', 'info'), { recursive: true })
  mkdirSync(join(directory, 'refs'), { recursive: true })
  writeOnce(
    join(directory, 'config'),
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n',
  )
  writeOnce(join(directory, 'HEAD'), 'ref: refs/heads/main\n')
  // Synced from the innermost directory outwards, so that a durable name never leads to one that is
  // not.
  for (const path of [
    packDirectory(directory),
    join(directory, 'objects'),
    directory,
    dirname(directory),
  ])
    syncDirectorySync(path)
}

/** Writes a small file unless it exists. After a power failure the file is complete or missing. */
function writeOnce(path: string, text: string): void {
  if (existsSync(path)) return
  rmSync(`${path}.new`, { force: true })
  writeDurably(`${path}.new`, Buffer.from(text))
  renameSync(`${path}.new`, path)
}

/** Returns a name that no other file has. */
export const randomName = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(20))).toString('hex')

/** Writes a file, at once or part by part, and syncs it. */
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
 * Moves a synced pack and its index into a store and syncs the directory. The name is random
 * instead of the checksum: two pushes of the same bytes must not share a file, because one of them
 * may be withdrawn. A `pending` pack is readable but may be removed until the push is applied
 * (`settlePack`) or withdrawn (`removePack`).
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

/** Marks the pack of an applied push as permanent. */
export function settlePack(directory: string, name: string): void {
  rmSync(join(packDirectory(directory), `${name}.pending`), { force: true })
}

/**
 * Removes a pack. Its index goes first, so that an incomplete pack is never taken for a complete
 * one.
 */
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

/** Returns the names of the packs that have both files. */
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

/** Sizes of files of packs, by path. */
export type PackSizes = Map<string, number>
const MAX_PACK_SIZES = 20_000
/** Files that are there before the index, and never change. */
const FINAL_ENDINGS = new Set(['.pack', '.idx', '.rev'])

/** The size of a file; 0 when it vanished. */
const fileSize = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** The size of a file of a complete pack. Its name is random and its content final. */
function packFileSize(path: string, packSizes: PackSizes): number {
  const known = packSizes.get(path)
  if (known !== undefined) return known
  const size = fileSize(path)
  if (packSizes.size >= MAX_PACK_SIZES) packSizes.clear()
  if (size > 0) packSizes.set(path, size)
  return size
}

/**
 * Returns the bytes of all files below a directory, and of offloaded packs. Files that vanish
 * meanwhile count as nothing. After every push the whole store is measured, so who measures often
 * gives the sizes that it remembers.
 */
export function directorySize(directory: string, packSizes: PackSizes = new Map()): number {
  let total = 0
  const entries = readdirSync(directory, { withFileTypes: true })
  const names = new Set(entries.map(({ name }) => name))
  for (const entry of entries) {
    const path = join(directory, entry.name)
    const dot = entry.name.lastIndexOf('.')
    const pack = entry.name.slice(0, dot)
    const isPacked = FINAL_ENDINGS.has(entry.name.slice(dot))
    if (entry.isDirectory()) total += directorySize(path, packSizes)
    else if (entry.name.endsWith('.away'))
      total += names.has(entry.name.replace(/away$/, 'pack')) ? 0 : offloadedSize(path)
    else if (isPacked && names.has(`${pack}.idx`) && names.has(`${pack}.pack`))
      total += packFileSize(path, packSizes)
    else total += fileSize(path)
  }
  return total
}

/** Returns the size in the note of an offloaded pack (`offloaded-packs.ts`). */
function offloadedSize(path: string): number {
  try {
    return Number.parseInt(readFileSync(path, 'latin1'), 10) || 0
  } catch {
    return 0
  }
}

/**
 * Removes what a crashed process left in a store, at start-up: temporary files, and packs without
 * an index. Pending packs stay, because their refs may have moved; maintenance decides about them.
 * An offloaded pack counts as complete.
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
