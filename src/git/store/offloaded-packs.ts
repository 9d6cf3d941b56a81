/**
 * Packs whose bytes the host stores remotely. The index stays in the store. Beside it lies the note
 * `pack-….away`: one line with the pack's size in bytes, its SHA-256 and its modification time.
 * Such a pack cannot be read. The host downloads it before work on the store begins (`GitOptions`).
 */
import { namesIn } from '#lib/disk.ts'
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isOid } from '../object.ts'
import type { Oid } from '../ports.ts'
import { packDirectory, writeDurably } from './store-files.ts'
import { PackIndex } from './pack-index.ts'

export type OffloadNote = {
  readonly size: number
  readonly sha256: string
  readonly modified_ms: number
}
export type OffloadedPack = OffloadNote & { readonly name: string }

/** Returns null when the note is missing or malformed. */
export function readOffloadNote(directory: string, name: string): OffloadNote | null {
  try {
    const [size, sha256 = '', modified] = readFileSync(
      join(packDirectory(directory), `${name}.away`),
      'latin1',
    )
      .trim()
      .split(' ')
    const note = { size: Number(size), sha256, modified_ms: Number(modified) }
    return Number.isSafeInteger(note.size) &&
      /^[0-9a-f]{64}$/.test(sha256) &&
      Number.isFinite(note.modified_ms)
      ? note
      : null
  } catch {
    return null
  }
}

/**
 * Writes a note. Its content is synced when this returns, but its name only when the directory is
 * synced.
 */
export function writeOffloadNote(
  directory: string,
  { name, size, sha256, modified_ms }: OffloadedPack,
): void {
  const path = join(packDirectory(directory), `${name}.away`)
  rmSync(`${path}.new`, { force: true })
  writeDurably(`${path}.new`, Buffer.from(`${size} ${sha256} ${modified_ms}\n`))
  renameSync(`${path}.new`, path)
}

/** Returns the packs of a store that have a note and are not on the local disk. */
export function listOffloadedPacks(directory: string): OffloadedPack[] {
  const names = namesIn(packDirectory(directory))
  const all = new Set(names)
  return names.flatMap((file) => {
    const name = file.slice(0, -'.away'.length)
    if (!file.endsWith('.away') || all.has(`${name}.pack`) || !all.has(`${name}.idx`)) return []
    const note = readOffloadNote(directory, name)
    return note ? [{ name, ...note }] : []
  })
}

/** Returns the objects that no index of a store has. Indexes of offloaded packs count. */
export function missingFromIndexes(directory: string, oids: readonly Oid[]): Oid[] {
  const names = namesIn(packDirectory(directory))
  const all = new Set(names)
  let left = [...new Set(oids)].filter(isOid)
  for (const file of names) {
    const name = file.slice(0, -'.idx'.length)
    if (left.length === 0) break
    if (!file.endsWith('.idx') || !(all.has(`${name}.pack`) || all.has(`${name}.away`))) continue
    const index = PackIndex.open(join(packDirectory(directory), file))
    left = left.filter((oid) => index.find(Buffer.from(oid, 'hex'), 0) < 0)
  }
  return left
}

export type LocalPack = {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
  readonly pending: boolean
}

/**
 * Returns the complete local packs of a store at one moment, and the names of all packs with an
 * index, offloaded ones included. Returns null when the store does not exist.
 */
export function listLocalPacks(
  directory: string,
): { readonly packs: readonly LocalPack[]; readonly indexed: ReadonlySet<string> } | null {
  const path = packDirectory(directory)
  for (;;) {
    const before = statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs
    if (before === undefined) return null
    const all = new Set(namesIn(packDirectory(directory)))
    const indexed = new Set(
      [...all].flatMap((file) => (file.endsWith('.idx') ? [file.slice(0, -'.idx'.length)] : [])),
    )
    const packs = [...indexed].flatMap((name) => {
      const pack = all.has(`${name}.pack`)
        ? statSync(join(path, `${name}.pack`), { throwIfNoEntry: false })
        : undefined
      return pack
        ? [
            {
              name,
              size: pack.size,
              modified_ms: Math.floor(pack.mtimeMs),
              pending: all.has(`${name}.pending`),
            },
          ]
        : []
    })
    // A listing during a rename may have neither the old nor the new name. So it is repeated until
    // the directory is unchanged.
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs === before)
      return { packs, indexed }
  }
}
