/**
 * Makes one backup: parts that are not there yet, then the manifest, from which moment on the
 * backup exists.
 */
import { open, stat } from 'node:fs/promises'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { listBackups } from './read-backup.ts'
import {
  encodeManifest,
  FORMAT,
  manifestName,
  PART_BYTES,
  partName,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
import { Packer, type Packing } from './parts.ts'
import { BackupError, type Place } from './place.ts'

export type Source = {
  /** Where it will be, relative to the data directory. */
  readonly path: string
  /** Where its bytes are now; they must not go away meanwhile. */
  readonly file: string | Distant
  readonly compress: boolean
  /**
   * Whether a file of this path, size and time never has other bytes; then it is not read again.
   */
  readonly immutable: boolean
}

/** A file that is not on this machine. */
export type Distant = {
  readonly size: number
  readonly sha256: string
  readonly mode: number
  readonly modified_ms: number
  /** Gives BackupError when it cannot be had. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>
}

export type BackupFacts = Packing & {
  readonly id: string
  readonly name: string | null
  readonly made_at: Timestamp
  readonly version: string
  readonly schema: string
  readonly repositories: number
  readonly notes: readonly string[]
  readonly folders: readonly string[]
}

export type Progress = {
  readonly phase: string
  readonly files_done: number
  readonly files_total: number
  readonly bytes_done: number
  readonly bytes_total: number
}
export type Tell = (progress: Progress) => void
export type Written = { readonly manifest: Manifest; readonly added_bytes: number }

/** Files that are read at once. */
const AT_ONCE = 4

/**
 * Gives BackupError for what the place refuses; an error of the signal when it ends. What was
 * written until then is of use to the next.
 */
export async function writeBackup(
  place: Place,
  sources: readonly Source[],
  facts: BackupFacts,
  tell: Tell,
  signal: AbortSignal,
): Promise<Written> {
  const packer = new Packer(facts)
  const { known, before } = await whatIsThere(place, facts.recipients)
  const sized = await Promise.all(
    sources.map(async (source) => ({ source, found: await factsOf(source.file) })),
  )
  const bytes_total = sized.reduce((sum, { found }) => sum + found.size, 0)
  const parts: Record<string, [number, string]> = {}
  const files: FileEntry[] = []
  /** Parts that are being written: two files may have the same. */
  const writing = new Map<string, Promise<[number, string]>>()
  let files_done = 0
  let bytes_done = 0
  let added_bytes = 0
  const say = () =>
    tell({ phase: 'copying', files_done, files_total: sources.length, bytes_done, bytes_total })
  say()

  const keep = (name: string, plain: Uint8Array, compress: boolean): Promise<[number, string]> => {
    const there = known.get(name)
    // What is stored as it is has the size that it has here, or it was cut off.
    if (there && (name.length > 64 || there[0] === plain.length)) return Promise.resolve(there)
    let written = writing.get(name)
    if (!written) {
      written = (async (): Promise<[number, string]> => {
        const stored = await packer.pack(plain, compress)
        await place.put(partName(name), stored)
        added_bytes += stored.length
        return [stored.length, sha256(stored)]
      })()
      writing.set(name, written)
      written.catch(() => {})
    }
    return written
  }

  async function take({ source, found }: (typeof sized)[number]): Promise<void> {
    const entry = { path: source.path, mode: found.mode, modified_ms: found.modified_ms }
    const same = source.immutable ? before.get(source.path) : undefined
    if (
      same &&
      same.size === found.size &&
      same.modified_ms === entry.modified_ms &&
      same.parts.every((name) => known.has(name))
    ) {
      for (const name of same.parts) parts[name] = known.get(name) ?? [0, '']
      files.push({ ...entry, size: same.size, sha256: same.sha256, parts: same.parts })
      bytes_done += same.size
    } else {
      const hasher = new Bun.CryptoHasher('sha256')
      const names: string[] = []
      let size = 0
      const file = await openSource(source.file)
      try {
        for (;;) {
          signal.throwIfAborted()
          const plain = await file.part(size)
          if (plain.length === 0) break
          hasher.update(plain)
          const name = packer.name(plain, source.compress)
          names.push(name)
          parts[name] = await keep(name, plain, source.compress)
          size += plain.length
          bytes_done += plain.length
          say()
          if (plain.length < PART_BYTES) break
        }
      } finally {
        await file.close()
      }
      const sha256 = hasher.digest('hex')
      if (typeof source.file !== 'string' && source.file.sha256 !== sha256)
        throw new BackupError(`${source.path} has other bytes than were stored elsewhere`)
      files.push({ ...entry, size, sha256, parts: names })
    }
    files_done++
    say()
  }

  const queue = sized.values()
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const next of queue) {
        signal.throwIfAborted()
        await take(next)
      }
    }),
  )
  files.sort((a, b) => (a.path < b.path ? -1 : 1))
  await requireThere(place, parts)
  await place.settle()

  const content = { files, folders: facts.folders }
  const sealed = await packer.seal(new TextEncoder().encode(JSON.stringify(content)))
  const { id, name, made_at, version, schema, notes, recipients } = facts
  const encoded = encodeManifest({
    format: FORMAT,
    id,
    name,
    made_at,
    version,
    schema,
    totals: { files: files.length, bytes: bytes_done, repositories: facts.repositories },
    notes,
    recipients,
    parts,
    content: sealed === null ? content : null,
    sealed: sealed === null ? null : Buffer.from(sealed).toString('base64'),
  })
  signal.throwIfAborted()
  await place.put(manifestName(id), encoded)
  await place.settle()
  return {
    manifest: JSON.parse(new TextDecoder().decode(encoded)) as Manifest,
    added_bytes: added_bytes + encoded.length,
  }
}

async function factsOf(
  file: Source['file'],
): Promise<{ size: number; mode: number; modified_ms: number }> {
  if (typeof file !== 'string') return file
  const { size, mode, mtimeMs } = await stat(file)
  return { size, mode: mode & 0o777, modified_ms: Math.floor(mtimeMs) }
}

/** Gives the parts of a file one after the other; the last is shorter. */
async function openSource(
  file: Source['file'],
): Promise<{ part: (offset: number) => Promise<Uint8Array>; close: () => Promise<void> }> {
  if (typeof file === 'string') {
    const handle = await open(file, 'r')
    return { part: () => readPart(handle), close: () => handle.close() }
  }
  return {
    part: async (offset) =>
      offset < file.size
        ? await file.read(offset, Math.min(PART_BYTES, file.size - offset))
        : new Uint8Array(),
    close: async () => {},
  }
}

/** The next part of a file; shorter than a part at its end. */
async function readPart(file: Awaited<ReturnType<typeof open>>): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(PART_BYTES)
  let length = 0
  while (length < PART_BYTES) {
    const { bytesRead } = await file.read(buffer, length, PART_BYTES - length)
    if (bytesRead === 0) break
    length += bytesRead
  }
  return buffer.subarray(0, length)
}

/**
 * Parts that are vouched for by a whole manifest and are there in their size, or that are named by
 * their plain content and so by their size alone; and the files of the newest backup that can be
 * read.
 */
async function whatIsThere(
  place: Place,
  recipients: readonly string[],
): Promise<{ known: Map<string, [number, string]>; before: Map<string, FileEntry> }> {
  const sizes = new Map<string, number>()
  for await (const { name, size } of place.list('files/'))
    sizes.set(name.slice(name.lastIndexOf('/') + 1), size)
  const known = new Map<string, [number, string]>()
  for (const [name, size] of sizes) if (/^[0-9a-f]{64}$/.test(name)) known.set(name, [size, name])
  let newest: Manifest | null = null
  for (const { manifest } of await listBackups(place)) {
    if (manifest === null) continue
    for (const [name, [size, hash]] of Object.entries(manifest.parts))
      if (sizes.get(name) === size) known.set(name, [size, hash])
    if (
      manifest.content !== null &&
      recipients.length === 0 &&
      (newest === null || manifest.id > newest.id)
    )
      newest = manifest
  }
  return { known, before: new Map((newest?.content?.files ?? []).map((file) => [file.path, file])) }
}

/** Somebody may have cleared the place meanwhile: a manifest never names what is not there. */
async function requireThere(
  place: Place,
  parts: Readonly<Record<string, readonly [number, string]>>,
): Promise<void> {
  const sizes = new Map<string, number>()
  for await (const { name, size } of place.list('files/'))
    sizes.set(name.slice(name.lastIndexOf('/') + 1), size)
  for (const [name, [size]] of Object.entries(parts)) {
    if (sizes.get(name) !== size)
      throw new BackupError(
        `${place.address}: ${partName(name)} went away while the backup was made; make it again`,
      )
  }
}
