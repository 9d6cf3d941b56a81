/**
 * Uploads of layers: bytes in `tmp/uploads/<id>`, hashed as they arrive, and whose they are in
 * `<id>.json`. One request at a time may write to an upload. A broken one goes on where it stands,
 * also after a restart: what the process wrote before it was killed is in the file, and is hashed
 * again when the upload goes on.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { placeBlob, type Blob } from '#core/blobs.ts'
import { bytesFree } from '#lib/disk.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { service } from '#core/service.ts'
import { conflict, Refusal } from '#lib/errors.ts'
import { FileWriter, OpenFile } from '#lib/file-writer.ts'
import { randomToken } from '#lib/hash.ts'
import { DAY } from '#lib/time.ts'

const FOLDER = 'tmp/uploads'
/** The end of the name of the file that says whose an upload is. */
const NOTE = '.json'
/** An upload that nobody touched for so long is given up. */
const IDLE_MS = DAY
const MAX_UPLOADS_OF_CALLER = 100
/** The free disk space is checked each time so many bytes have arrived. */
const DISK_CHECK_BYTES = 16 * 1024 ** 2

export type Upload = {
  readonly id: string
  readonly path: string
  readonly caller_id: string
  /** The package that it is for, as the address names it. */
  readonly target: string
  size: number
  /** Null after a restart, until the bytes that are there are hashed again. */
  hasher: Bun.CryptoHasher | null
  touchedAt: number
  isBusy: boolean
}

const unknownUpload = (): Refusal =>
  new Refusal('not_found', 'there is no such upload, or it has ended', {
    reason: 'BLOB_UPLOAD_UNKNOWN',
  })

export class Uploads {
  readonly #uploads = new Map<string, Upload>()
  readonly #folder: string

  constructor(private readonly hearth: Hearth) {
    this.#folder = join(hearth.settings.data, FOLDER)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#takeUp()
  }

  /** Takes up what an earlier process left. Files without their note are removed. */
  #takeUp(): void {
    const names = readdirSync(this.#folder)
    for (const name of names.filter((one) => one.endsWith(NOTE))) {
      const path = join(this.#folder, name.slice(0, -NOTE.length))
      const upload = readNote(path)
      if (upload !== null) this.#uploads.set(upload.id, upload)
    }
    for (const name of names)
      if (!this.#uploads.has(name.endsWith(NOTE) ? name.slice(0, -NOTE.length) : name))
        rmSync(join(this.#folder, name), { force: true })
  }

  begin(caller_id: string, target: string): Upload {
    this.sweep()
    const own = [...this.#uploads.values()].filter((upload) => upload.caller_id === caller_id)
    if (own.length >= MAX_UPLOADS_OF_CALLER)
      throw new Refusal('rate_limited', 'too many uploads are under way: finish them first', {
        reason: 'TOOMANYREQUESTS',
        headers: { 'retry-after': '60' },
      })
    const id = randomToken(24)
    const upload: Upload = {
      id,
      path: join(this.#folder, id),
      caller_id,
      target,
      size: 0,
      hasher: new Bun.CryptoHasher('sha256'),
      touchedAt: this.hearth.clock.now(),
      isBusy: false,
    }
    writeFileSync(upload.path, '', { mode: 0o600 })
    writeFileSync(upload.path + NOTE, JSON.stringify({ id, caller_id, target }), { mode: 0o600 })
    this.#uploads.set(id, upload)
    return upload
  }

  /** Throws 404 for an upload of another caller or package. */
  find(id: string, caller_id: string, target: string): Upload {
    const upload = this.#uploads.get(id)
    if (!upload || upload.caller_id !== caller_id || upload.target !== target) throw unknownUpload()
    return upload
  }

  remove(upload: Upload): void {
    this.#uploads.delete(upload.id)
    removeFiles(upload)
  }

  /** Appends what arrives, and releases its memory. Throws 409 when busy. */
  async append(
    upload: Upload,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#exclusively(upload, async () => {
      const file = new OpenFile(upload.path, 'a')
      try {
        await this.#write(upload, file, bytes, maxBytes, signal)
      } catch (error) {
        if (!(error instanceof Refusal) && !signal.aborted) this.remove(upload)
        throw error
      } finally {
        file.close()
      }
    })
  }

  async #write(
    upload: Upload,
    file: OpenFile,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    const writer = new FileWriter(file)
    try {
      await this.#receive(upload, writer, bytes, maxBytes, signal)
    } finally {
      // What arrived before a connection broke stays.
      await writer.flush().catch((error: unknown) => {
        // Bytes and hash agree only after all pieces were written.
        this.remove(upload)
        throw error
      })
    }
  }

  async #receive(
    upload: Upload,
    writer: FileWriter,
    bytes: AsyncIterable<Uint8Array>,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<void> {
    let checkedAt = -DISK_CHECK_BYTES
    const hasher = await hasherOf(upload)
    for await (const part of bytes) {
      signal.throwIfAborted()
      if (upload.size + part.length > maxBytes)
        throw new Refusal('too_large', `a layer has at most ${maxBytes} bytes`, {
          reason: 'SIZE_INVALID',
          headers: { connection: 'close' },
        })
      if (upload.size - checkedAt >= DISK_CHECK_BYTES) {
        checkedAt = upload.size
        this.#requireSpace()
      }
      hasher.update(part)
      upload.size += part.length
      upload.touchedAt = this.hearth.clock.now()
      await writer.add(part)
    }
  }

  #requireSpace(): void {
    if (bytesFree(this.#folder) < this.hearth.settings.limits.disk_reserve)
      throw new Refusal('unavailable', 'the disk of this installation has no room for this layer', {
        headers: { 'retry-after': '600', connection: 'close' },
      })
  }

  /** Makes the upload a blob. Throws 400 for another digest; then the upload is gone. */
  async finish(upload: Upload, digest: string): Promise<Blob> {
    return await this.#exclusively(upload, async () => {
      const hasher = await hasherOf(upload)
      const blob = { sha256: hasher.digest('hex'), size: upload.size }
      this.#uploads.delete(upload.id)
      const file = new OpenFile(upload.path, 'a')
      try {
        const found = digest.startsWith('sha512:')
          ? `sha512:${(await hashFile(upload.path, 'sha512')).digest('hex')}`
          : `sha256:${blob.sha256}`
        if (found !== digest)
          throw new Refusal('bad_request', `the bytes have the digest ${found}, not ${digest}`, {
            reason: 'DIGEST_INVALID',
          })
        await placeBlob(this.hearth, upload.path, file, blob)
        return blob
      } finally {
        file.close()
        removeFiles(upload)
      }
    })
  }

  async #exclusively<T>(upload: Upload, run: () => Promise<T>): Promise<T> {
    if (upload.isBusy) throw conflict('in_progress', 'another request writes to this upload')
    upload.isBusy = true
    try {
      return await run()
    } finally {
      upload.isBusy = false
    }
  }

  /** Removes uploads that nobody touched for a day. */
  sweep(): void {
    const oldest = this.hearth.clock.now() - IDLE_MS
    for (const upload of this.#uploads.values())
      if (upload.touchedAt < oldest && !upload.isBusy) this.remove(upload)
  }
}

/** What an earlier process noted of an upload; null when it is not whole. */
function readNote(path: string): Upload | null {
  try {
    const { id, caller_id, target } = JSON.parse(readFileSync(path + NOTE, 'utf8'))
    const { size, mtimeMs } = statSync(path)
    if (![id, caller_id, target].every((text) => typeof text === 'string')) return null
    if (!path.endsWith(id)) return null
    return { id, path, caller_id, target, size, hasher: null, touchedAt: mtimeMs, isBusy: false }
  } catch {
    return null
  }
}

function removeFiles({ path }: Upload): void {
  rmSync(path, { force: true })
  rmSync(path + NOTE, { force: true })
}

async function hasherOf(upload: Upload): Promise<Bun.CryptoHasher> {
  upload.hasher ??= await hashFile(upload.path, 'sha256')
  return upload.hasher
}

/** The file is read in pieces, and other requests have their turn between them. */
async function hashFile(path: string, algorithm: 'sha256' | 'sha512'): Promise<Bun.CryptoHasher> {
  const hasher = new Bun.CryptoHasher(algorithm)
  for await (const part of Bun.file(path).stream()) hasher.update(part)
  return hasher
}

export const imageUploads = service('image-uploads', (hearth) => new Uploads(hearth))

export const sweepUploads = job<null>({
  kind: 'sweep_image_uploads',
  every: '1h',
  run: ({ hearth }) => imageUploads(hearth).sweep(),
})
