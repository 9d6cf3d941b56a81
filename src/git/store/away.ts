/**
 * Packs whose bytes a host keeps elsewhere. Beside the index, which stays, lies `pack-….away`: a
 * line that says how many bytes the pack has, their SHA-256 and the time of the file. Such a pack
 * cannot be read; the host brings it back before work on its store begins (`GitOptions.elsewhere`).
 */
import { namesIn } from '#lib/disk.ts'
import { readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isOid } from '../object.ts'
import type { Oid } from '../ports.ts'
import { packDirectory, writeDurably } from './files.ts'
import { PackIndex } from './pack-index.ts'

export type AwayNote = {
  readonly size: number
  readonly sha256: string
  readonly modified_ms: number
}
export type AwayPack = AwayNote & { readonly name: string }

/** Null when there is none, or none that can be read. */
export function readAway(directory: string, name: string): AwayNote | null {
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

/** Writes the note; it is on disk when this returns, but its name only with the directory. */
export function writeAway(directory: string, { name, size, sha256, modified_ms }: AwayPack): void {
  const path = join(packDirectory(directory), `${name}.away`)
  rmSync(`${path}.new`, { force: true })
  writeDurably(`${path}.new`, Buffer.from(`${size} ${sha256} ${modified_ms}\n`))
  renameSync(`${path}.new`, path)
}

/** The packs of a store that are noted as away and are not here. */
export function listAway(directory: string): AwayPack[] {
  const names = namesIn(packDirectory(directory))
  const all = new Set(names)
  return names.flatMap((file) => {
    const name = file.slice(0, -'.away'.length)
    if (!file.endsWith('.away') || all.has(`${name}.pack`) || !all.has(`${name}.idx`)) return []
    const note = readAway(directory, name)
    return note ? [{ name, ...note }] : []
  })
}

/** Which of some objects no index of a store has, those of packs that are away among them. */
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

export type PackAtHand = {
  readonly name: string
  readonly size: number
  readonly modified_ms: number
  readonly pending: boolean
}

/**
 * The whole packs of a store at one moment, and the names of all packs that have an index, away or
 * not; null when there is no such store.
 */
export function packsOf(
  directory: string,
): { readonly packs: readonly PackAtHand[]; readonly indexed: ReadonlySet<string> } | null {
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
    // While names come and go a list may have neither the old nor the new ones.
    if (statSync(path, { bigint: true, throwIfNoEntry: false })?.mtimeNs === before)
      return { packs, indexed }
  }
}
