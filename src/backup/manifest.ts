/**
 * What a backup consists of. A manifest is one JSON document, `backups/<id>.json`; the bytes of
 * files are parts, `files/<ab>/<name>`, named by what is in them, so that backups share what has
 * not changed. A backup exists from the moment its manifest does.
 *
 * In the open stand the parts with their sizes and SHA-256 as they are stored, so that a place can
 * be checked, and cleared of what no manifest names, by somebody who cannot read it. Names and
 * contents of files are encrypted when recipients are named.
 */
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { BackupError } from './place.ts'

export const FORMAT = 1
/** Bytes of a file in one part: few enough to hold some in memory. */
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

export type Content = {
  readonly files: readonly FileEntry[]
  /** Folders that must be there though nothing may be in them. */
  readonly folders: readonly string[]
}

export type Manifest = {
  readonly format: typeof FORMAT
  readonly id: string
  readonly name: string | null
  /** The moment of the snapshot: everything that was answered before is in it. */
  readonly made_at: Timestamp
  /** Of the program that made it, and the newest migration of its database. */
  readonly version: string
  readonly schema: string
  readonly totals: { readonly files: number; readonly bytes: number; readonly repositories: number }
  /** What was found missing or odd while it was made, for people. */
  readonly notes: readonly string[]
  readonly recipients: readonly string[]
  /** Each part as stored: bytes, SHA-256. */
  readonly parts: Readonly<Record<string, readonly [number, string]>>
  /** One of both is null: encrypted content is base64 of an age file with the same JSON. */
  readonly content: Content | null
  readonly sealed: string | null
  /** SHA-256 of this document with an empty text here. */
  readonly digest: string
}

const ID = /^bkp_[0-9a-hjkmnp-tv-z]{26}$/
const PART = /^[0-9a-f]{64}(\.zst)?(\.age)?$/
const HASH = /^[0-9a-f]{64}$/

export const manifestName = (id: string): string => `backups/${id}.json`
export const partName = (name: string): string => `files/${name.slice(0, 2)}/${name}`
export const isBackupId = (text: string): boolean => ID.test(text)

export const digestOf = (manifest: Manifest): string =>
  sha256(JSON.stringify({ ...manifest, digest: '' }))

export const encodeManifest = (manifest: Omit<Manifest, 'digest'>): Uint8Array => {
  const whole: Manifest = { ...manifest, digest: '' }
  return new TextEncoder().encode(`${JSON.stringify({ ...whole, digest: digestOf(whole) })}\n`)
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a path stays below the directory that it is put into, on every system. */
export const isSafePath = (path: string): boolean =>
  path !== '' &&
  !/[\\\0:]/.test(path) &&
  path.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  path.length < 4096

/** Reads a manifest. Gives BackupError naming what is wrong with it. */
export function decodeManifest(bytes: Uint8Array, where: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new BackupError(`${where} is damaged: it is not whole`)
  }
  if (!isRecord(value) || !('format' in value))
    throw new BackupError(`${where} is no manifest of a backup`)
  if (value['format'] !== FORMAT)
    throw new BackupError(
      `${where} has format ${String(value['format'])}, which this version of Hearth cannot read: use a newer one`,
    )
  const manifest = value as Manifest
  if (digestOf(manifest) !== manifest.digest)
    throw new BackupError(`${where} is damaged: it does not match its own digest`)
  const { totals, parts } = manifest
  const sound =
    isBackupId(String(manifest.id)) &&
    typeof manifest.made_at === 'string' &&
    typeof manifest.version === 'string' &&
    typeof manifest.schema === 'string' &&
    isRecord(totals) &&
    isCount(totals.files) &&
    isCount(totals.bytes) &&
    isCount(totals.repositories) &&
    isTexts(manifest.notes) &&
    isTexts(manifest.recipients) &&
    isRecord(parts) &&
    Object.entries(parts).every(
      ([name, part]) =>
        PART.test(name) && Array.isArray(part) && isCount(part[0]) && HASH.test(String(part[1])),
    ) &&
    (manifest.content === null) !== (manifest.sealed === null)
  if (!sound) throw new BackupError(`${where} is no manifest of a backup`)
  if (manifest.content !== null) checkContent(manifest.content, parts, where)
  return manifest
}

/** Gives BackupError for content that is not as it should be; it may come from a stranger. */
export function checkContent(
  content: unknown,
  parts: Manifest['parts'],
  where: string,
): asserts content is Content {
  const wrong = (what: string): never => {
    throw new BackupError(`${where}: ${what}`)
  }
  if (!isRecord(content) || !Array.isArray(content['files']) || !isTexts(content['folders']))
    return wrong('the list of files is damaged')
  const seen = new Set<string>()
  for (const file of content['files'] as unknown[]) {
    if (!isRecord(file) || typeof file['path'] !== 'string')
      return wrong('the list of files is damaged')
    const { path } = file
    if (!isSafePath(path) || seen.has(path))
      return wrong(`${JSON.stringify(path.slice(0, 200))} is no path that may be restored`)
    seen.add(path)
    const whole =
      isCount(file['size']) &&
      HASH.test(String(file['sha256'])) &&
      isCount(file['mode']) &&
      typeof file['modified_ms'] === 'number' &&
      isTexts(file['parts'])
    if (!whole || (file['parts'] as string[]).some((name) => !Object.hasOwn(parts, name)))
      return wrong(`the entry of ${path} is damaged`)
  }
  for (const folder of content['folders'])
    if (!isSafePath(folder))
      return wrong(`${JSON.stringify(folder.slice(0, 200))} is no folder that may be restored`)
}
