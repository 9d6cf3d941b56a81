/**
 * Writes one backup: first the parts that the store lacks, then the manifest. The backup exists
 * once its manifest does.
 */
import { open, stat } from 'node:fs/promises'
import { sha256 } from '#lib/hash.ts'
import type { Timestamp } from '#lib/time.ts'
import { listBackups } from './read-backup.ts'
import {
  encodeManifest,
  FORMAT,
  manifestPath,
  PART_BYTES,
  partPath,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
import { PartEncoder, type PartEncoding } from './parts.ts'
import { BackupError, type BackupStore } from './backup-store.ts'

export type BackupSource = {
  /** The path in the backup, relative to the data directory. */
  readonly path: string
  /** The file to read; it must not be removed meanwhile. */
  readonly file: string | RemoteFile
  readonly compress: boolean
  /** A file of the same path, size and time has the same bytes, so it is not read again. */
  readonly immutable: boolean
}

/** A file that is not on this machine. */
export type RemoteFile = {
  readonly size: number
  readonly sha256: string
  readonly mode: number
  readonly modified_ms: number
  /** Throws BackupError when the bytes cannot be fetched. */
  readonly read: (offset: number, length: number) => Promise<Uint8Array>
}

export type BackupFacts = PartEncoding & {
  readonly id: string
  readonly name: string | null
  /** The data directory; left out for what is not one. */
  readonly origin?: string
  readonly made_at: Timestamp
  readonly version: string
  readonly schema: string
  readonly repositories: number
  readonly notes: readonly string[]
  readonly folders: readonly string[]
}

export type BackupProgress = {
  readonly phase: string
  readonly files_done: number
  readonly files_total: number
  readonly bytes_done: number
  readonly bytes_total: number
}
export type ReportProgress = (progress: BackupProgress) => void
export type WriteBackupResult = { readonly manifest: Manifest; readonly added_bytes: number }

/** Files that are read at the same time. */
const MAX_CONCURRENT_FILES = 4

/** The size and SHA-256 of a part as stored. */
type StoredPart = readonly [size: number, sha256: string]

type SizedSource = {
  readonly source: BackupSource
  readonly found: Awaited<ReturnType<typeof factsOf>>
}

/**
 * Throws BackupError when the store fails, and the signal's reason when it is aborted. Parts that
 * were written until then are used by the next backup.
 */
export async function writeBackup(
  store: BackupStore,
  sources: readonly BackupSource[],
  facts: BackupFacts,
  tell: ReportProgress,
  signal: AbortSignal,
): Promise<WriteBackupResult> {
  const { known, before } = await findExistingParts(store, facts.recipients)
  return await new BackupWriter(store, facts, known, before, tell, signal).write(sources)
}

class BackupWriter {
  readonly #encoder: PartEncoder
  readonly #parts: Record<string, StoredPart> = {}
  readonly #files: FileEntry[] = []
  /** Parts that are being written: two files may contain the same part. */
  readonly #writing = new Map<string, Promise<StoredPart>>()
  #filesDone = 0
  #filesTotal = 0
  #bytesDone = 0
  #bytesTotal = 0
  #addedBytes = 0

  constructor(
    private readonly store: BackupStore,
    private readonly facts: BackupFacts,
    /** Parts that the store has. */
    private readonly existing: ReadonlyMap<string, StoredPart>,
    /** Files of the newest backup, by path. */
    private readonly previous: ReadonlyMap<string, FileEntry>,
    private readonly tell: ReportProgress,
    private readonly signal: AbortSignal,
  ) {
    this.#encoder = new PartEncoder(facts)
  }

  async write(sources: readonly BackupSource[]): Promise<WriteBackupResult> {
    const sized = await Promise.all(
      sources.map(async (source) => ({ source, found: await factsOf(source.file) })),
    )
    this.#filesTotal = sources.length
    this.#bytesTotal = sized.reduce((sum, { found }) => sum + found.size, 0)
    this.#report()
    // The workers share one iterator, so each file is taken once.
    const queue = sized.values()
    const copyFiles = async (): Promise<void> => {
      for (const next of queue) {
        this.signal.throwIfAborted()
        await this.#copy(next)
      }
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT_FILES }, copyFiles))
    this.#files.sort((a, b) => (a.path < b.path ? -1 : 1))
    await requireParts(this.store, this.#parts)
    await this.store.flush()
    return await this.#writeManifest()
  }

  async #copy({ source, found }: SizedSource): Promise<void> {
    const entry = { path: source.path, mode: found.mode, modified_ms: found.modified_ms }
    const same = source.immutable ? this.previous.get(source.path) : undefined
    if (
      same &&
      same.size === found.size &&
      same.modified_ms === entry.modified_ms &&
      same.parts.every((name) => this.existing.has(name))
    ) {
      for (const name of same.parts) this.#parts[name] = this.existing.get(name) ?? [0, '']
      this.#files.push({ ...entry, size: same.size, sha256: same.sha256, parts: same.parts })
      this.#bytesDone += same.size
    } else this.#files.push({ ...entry, ...(await this.#copyBytes(source)) })
    this.#filesDone++
    this.#report()
  }

  /** Reads a file part by part and stores the parts that are missing. */
  async #copyBytes(source: BackupSource): Promise<Pick<FileEntry, 'size' | 'sha256' | 'parts'>> {
    const hasher = new Bun.CryptoHasher('sha256')
    const parts: string[] = []
    let size = 0
    const file = await openSource(source.file)
    try {
      for (;;) {
        this.signal.throwIfAborted()
        const plain = await file.part(size)
        if (plain.length === 0) break
        hasher.update(plain)
        const name = this.#encoder.name(plain, source.compress)
        parts.push(name)
        this.#parts[name] = await this.#storePart(name, plain, source.compress)
        size += plain.length
        this.#bytesDone += plain.length
        this.#report()
        if (plain.length < PART_BYTES) break
      }
    } finally {
      await file.close()
    }
    const sha256 = hasher.digest('hex')
    if (typeof source.file !== 'string' && source.file.sha256 !== sha256)
      throw new BackupError(`${source.path} has other bytes than were stored elsewhere`)
    return { size, sha256, parts }
  }

  #storePart(name: string, plain: Uint8Array, compress: boolean): Promise<StoredPart> {
    const existing = this.existing.get(name)
    // A part that is stored as it is must have the size of its content, or it was cut off.
    if (existing && (name.length > 64 || existing[0] === plain.length))
      return Promise.resolve(existing)
    let written = this.#writing.get(name)
    if (!written) {
      written = this.#writePart(name, plain, compress)
      this.#writing.set(name, written)
      written.catch(() => {})
    }
    return written
  }

  async #writePart(name: string, plain: Uint8Array, compress: boolean): Promise<StoredPart> {
    const stored = await this.#encoder.pack(plain, compress)
    await this.store.put(partPath(name), stored)
    this.#addedBytes += stored.length
    return [stored.length, sha256(stored)]
  }

  async #writeManifest(): Promise<WriteBackupResult> {
    const { id, name, origin, made_at, version, schema, notes, recipients } = this.facts
    const content = { files: this.#files, folders: this.facts.folders }
    const sealed = await this.#encoder.seal(new TextEncoder().encode(JSON.stringify(content)))
    const encoded = encodeManifest({
      format: FORMAT,
      id,
      name,
      ...(origin !== undefined && { origin }),
      made_at,
      version,
      schema,
      totals: {
        files: this.#files.length,
        bytes: this.#bytesDone,
        repositories: this.facts.repositories,
      },
      notes,
      recipients,
      parts: this.#parts,
      content: sealed === null ? content : null,
      sealed: sealed === null ? null : Buffer.from(sealed).toString('base64'),
    })
    this.signal.throwIfAborted()
    await this.store.put(manifestPath(id), encoded)
    await this.store.flush()
    return {
      manifest: JSON.parse(new TextDecoder().decode(encoded)) as Manifest,
      added_bytes: this.#addedBytes + encoded.length,
    }
  }

  #report(): void {
    this.tell({
      phase: 'copying',
      files_done: this.#filesDone,
      files_total: this.#filesTotal,
      bytes_done: this.#bytesDone,
      bytes_total: this.#bytesTotal,
    })
  }
}

async function factsOf(
  file: BackupSource['file'],
): Promise<{ size: number; mode: number; modified_ms: number }> {
  if (typeof file !== 'string') return file
  const { size, mode, mtimeMs } = await stat(file)
  return { size, mode: mode & 0o777, modified_ms: Math.floor(mtimeMs) }
}

/** Reads the parts of a file in order; the last is shorter. */
async function openSource(
  file: BackupSource['file'],
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

/** The next part of a file; shorter than `PART_BYTES` at the end. */
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
 * Returns the parts of the store that can be trusted, and the files of the newest readable backup.
 * A part is trusted when an intact manifest records its size and hash, or when its name is the hash
 * of its stored bytes.
 */
async function findExistingParts(
  store: BackupStore,
  recipients: readonly string[],
): Promise<{ known: Map<string, StoredPart>; before: Map<string, FileEntry> }> {
  const sizes = new Map<string, number>()
  for await (const { name, size } of store.list('files/'))
    sizes.set(name.slice(name.lastIndexOf('/') + 1), size)
  const known = new Map<string, StoredPart>()
  for (const [name, size] of sizes) if (/^[0-9a-f]{64}$/.test(name)) known.set(name, [size, name])
  let newest: Manifest | null = null
  for (const { manifest } of await listBackups(store)) {
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

/**
 * Throws BackupError when a part is missing: another process may have pruned the store meanwhile,
 * and a manifest must not name missing parts.
 */
async function requireParts(
  store: BackupStore,
  parts: Readonly<Record<string, StoredPart>>,
): Promise<void> {
  const sizes = new Map<string, number>()
  for await (const { name, size } of store.list('files/'))
    sizes.set(name.slice(name.lastIndexOf('/') + 1), size)
  for (const [name, [size]] of Object.entries(parts)) {
    if (sizes.get(name) !== size)
      throw new BackupError(
        `${store.address}: ${partPath(name)} went away while the backup was made; make it again`,
      )
  }
}
