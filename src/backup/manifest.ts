/**
 * The format of a backup. The manifest is one JSON document, `backups/<id>.json`. The bytes of files
 * are split into parts, `files/<ab>/<name>`, which are named by their content; so backups share
 * parts that have not changed. A backup exists once its manifest does.
 *
 * The sizes and SHA-256 of the stored parts are never encrypted. So a store can be checked and
 * pruned without a key. With recipients, the names and contents of files are encrypted.
 */
import { isObject } from '#lib/json-value.ts'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { BackupError } from './backup-store.ts'

export const FORMAT = 1
/** Bytes of a file in one part: small enough to hold several in memory. */
export const PART_BYTES = 8 * 1024 ** 2

export type FileEntry = {
  /** Relative to the data directory, with `/`. */
  readonly path: string
  readonly size: number
  readonly sha256: string
  readonly mode: number
  readonly modified_ms: number
  readonly parts: readonly string[]
}

export type BackupContent = {
  readonly files: readonly FileEntry[]
  /** Folders to create even when they are empty. */
  readonly folders: readonly string[]
}

export type Manifest = {
  readonly format: typeof FORMAT
  readonly id: string
  readonly name: string | null
  /**
   * The data directory that wrote it: another one that uses the same place, by mistake or as a restored
   * copy, removes nothing of it. Missing in workspaces and in what older versions wrote.
   */
  readonly origin?: string
  /** The time of the snapshot: every change that was acknowledged before is in it. */
  readonly made_at: Timestamp
  /** The version of the program that wrote it. */
  readonly version: string
  /** The newest migration of its database. */
  readonly schema: string
  readonly totals: { readonly files: number; readonly bytes: number; readonly repositories: number }
  /** Problems that were found while it was written, for an operator. */
  readonly notes: readonly string[]
  readonly recipients: readonly string[]
  /** The size and SHA-256 of each stored part. */
  readonly parts: Readonly<Record<string, readonly [number, string]>>
  /** Null when encrypted; then `sealed` is the base64 of an age file with the same JSON. */
  readonly content: BackupContent | null
  readonly sealed: string | null
  /** SHA-256 of this document with an empty string here. */
  readonly digest: string
}

const ID = /^bkp_[0-9a-hjkmnp-tv-z]{26}$/
const PART = /^[0-9a-f]{64}(\.zst)?(\.age)?$/
const HASH = /^[0-9a-f]{64}$/

export const manifestPath = (id: string): string => `backups/${id}.json`
export const partPath = (name: string): string => `files/${name.slice(0, 2)}/${name}`
export const isBackupId = (text: string): boolean => ID.test(text)

export const digestOf = (manifest: Manifest): string =>
  sha256(JSON.stringify({ ...manifest, digest: '' }))

export const encodeManifest = (manifest: Omit<Manifest, 'digest'>): Uint8Array => {
  const whole: Manifest = { ...manifest, digest: '' }
  return new TextEncoder().encode(`${JSON.stringify({ ...whole, digest: digestOf(whole) })}\n`)
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isStringArray = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
/** Whether a path stays below the directory that it is joined to, on every operating system. */
export const isSafePath = (path: string): boolean =>
  path !== '' &&
  !/[\\\0:]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  path.length < 4096

/** Parses and validates a manifest. Throws BackupError with the fault. */
export function decodeManifest(bytes: Uint8Array, where: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new BackupError(`${where} is damaged: it is not whole`)
  }
  if (!isObject(value) || !('format' in value))
    throw new BackupError(`${where} is no manifest of a backup`)
  if (value.format !== FORMAT)
    throw new BackupError(
      `${where} has format ${String(value.format)}, ` +
        'which this version of Hearth cannot read: use a newer one',
    )
  const manifest = value as Manifest
  if (digestOf(manifest) !== manifest.digest)
    throw new BackupError(`${where} is damaged: it does not match its own digest`)
  const { totals, parts } = manifest
  const sound =
    isBackupId(String(manifest.id)) &&
    (manifest.origin === undefined || typeof manifest.origin === 'string') &&
    typeof manifest.made_at === 'string' &&
    typeof manifest.version === 'string' &&
    typeof manifest.schema === 'string' &&
    isObject(totals) &&
    isCount(totals.files) &&
    isCount(totals.bytes) &&
    isCount(totals.repositories) &&
    isStringArray(manifest.notes) &&
    isStringArray(manifest.recipients) &&
    isObject(parts) &&
    Object.entries(parts).every(
      ([name, part]) =>
        PART.test(name) && Array.isArray(part) && isCount(part[0]) && HASH.test(String(part[1])),
    ) &&
    (manifest.content === null) !== (manifest.sealed === null)
  if (!sound) throw new BackupError(`${where} is no manifest of a backup`)
  if (manifest.content !== null) requireValidContent(manifest.content, parts, where)
  return manifest
}

/** Throws BackupError for invalid content. A manifest is untrusted input. */
export function requireValidContent(
  content: unknown,
  parts: Manifest['parts'],
  where: string,
): asserts content is BackupContent {
  const wrong = (what: string): never => {
    throw new BackupError(`${where}: ${what}`)
  }
  if (!isObject(content) || !Array.isArray(content.files) || !isStringArray(content.folders))
    return wrong('the list of files is damaged')
  const seen = new Set<string>()
  for (const file of content.files as unknown[]) {
    if (!isObject(file) || typeof file.path !== 'string')
      return wrong('the list of files is damaged')
    const { path } = file
    if (!isSafePath(path) || seen.has(path))
      return wrong(`${JSON.stringify(path.slice(0, 200))} is no path that may be restored`)
    seen.add(path)
    const whole =
      isCount(file.size) &&
      HASH.test(String(file.sha256)) &&
      isCount(file.mode) &&
      typeof file.modified_ms === 'number' &&
      isStringArray(file.parts)
    if (!whole || (file.parts as string[]).some((name) => !Object.hasOwn(parts, name)))
      return wrong(`the entry of ${path} is damaged`)
  }
  for (const folder of content.folders)
    if (!isSafePath(folder))
      return wrong(`${JSON.stringify(folder.slice(0, 200))} is no folder that may be restored`)
}
