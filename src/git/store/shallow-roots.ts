/**
 * The commits whose parents a store lacks, in git's file `shallow` (gitrepository-layout). History
 * ends at them. A store gets them only by an import from a remote that is itself shallow.
 */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { syncDirectorySync } from '#lib/disk.ts'
import { isOid } from '../object.ts'
import type { Oid } from '../ports.ts'
import { readFileOrNull } from './read-file.ts'
import { randomName, writeDurably } from './store-files.ts'

export type ShallowRoots = ReadonlySet<Oid>

/** Null for a store with complete history, as almost all are. */
export function readShallowRoots(directory: string): ShallowRoots | null {
  const bytes = readFileOrNull(join(directory, 'shallow'))
  if (bytes === null) return null
  const oids = Buffer.from(bytes).toString('latin1').split('\n').filter(isOid)
  return oids.length === 0 ? null : new Set(oids)
}

/** Replaces the file. The commits need not be in the store yet. */
export function writeShallowRoots(directory: string, roots: Iterable<Oid>): void {
  const text = [...roots].map((oid) => `${oid}\n`).join('')
  const path = join(directory, `shallow-${randomName()}`)
  writeDurably(path, Buffer.from(text))
  renameSync(path, join(directory, 'shallow'))
  syncDirectorySync(directory)
}
