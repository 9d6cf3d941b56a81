/**
 * Uploads of jobs in the blocks of Azure's block blobs: `tmp/results/<job>/<upload>/<block>`, and
 * the order of the blocks in `list`. They survive a restart, because clients send a lost block
 * again. They end with their job at the latest.
 */
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { requireFreeBytes } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { service } from '#core/service.ts'
import { findJob } from '#features/workflows/index.ts'
import { namesIn, writeFully } from '#lib/disk.ts'
import { conflict, invalid, notFound, Refusal } from '#lib/errors.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import type { UploadClaims } from './addresses.ts'

const FOLDER = 'tmp/results'
const LIST = 'list'
const DAYS = 'days'
const PARTIAL = '.partial'
/** Blocks are named by a digest. */
const BLOCK = /^[0-9a-f]{64}$/
/** The name of the one block of a file that is sent whole. */
export const WHOLE = sha256('whole')

/** As the largest artifact and the largest cache. */
const MAX_UPLOAD_BYTES = 10 * 1024 ** 3
/** Azure's own bound. */
export const MAX_BLOCKS = 50_000
const MAX_UPLOADS_OF_JOB = 32
/** The free disk space is checked each time so many bytes have arrived. */
const DISK_CHECK_BYTES = 16 * 1024 ** 2

const tooLarge = (): Refusal =>
  new Refusal('too_large', `a file has at most ${MAX_UPLOAD_BYTES} bytes`, {
    details: { limit: MAX_UPLOAD_BYTES },
    headers: { connection: 'close' },
  })

/** The name of the upload of an artifact or a cache. */
export const uploadName = (kind: 'artifact' | 'cache', ...names: readonly string[]): string =>
  sha256(JSON.stringify([kind, ...names])).slice(0, 40)

/** A file whose blocks are all there. */
export type ReceivedFile = { readonly size: number; readonly bytes: AsyncIterable<Uint8Array> }

/** The bytes of the blocks of one upload, including those that arrive, and their sum. */
class BlockSizes {
  readonly #sizes: Map<string, number>
  #total: number

  constructor(sizes: ReadonlyMap<string, number>) {
    this.#sizes = new Map(sizes)
    this.#total = sizes.values().reduce((sum, one) => sum + one, 0)
  }

  get count(): number {
    return this.#sizes.size
  }

  get total(): number {
    return this.#total
  }

  has = (block: string): boolean => this.#sizes.has(block)
  of = (block: string): number => this.#sizes.get(block) ?? 0

  set(block: string, size: number): void {
    this.#total += size - this.of(block)
    this.#sizes.set(block, size)
  }

  delete(block: string): void {
    this.#total -= this.of(block)
    this.#sizes.delete(block)
  }
}

class Uploads {
  readonly #folder: string
  readonly #sizes = new Map<string, BlockSizes>()

  constructor(private readonly hearth: Hearth) {
    this.#folder = join(hearth.settings.data, FOLDER)
  }

  /**
   * Begins an upload. One that was begun before goes on with its blocks. `days` is how long the
   * artifact is kept. Throws 429 for too many.
   */
  begin({ job_id, upload }: UploadClaims, days: number | null): void {
    const folder = join(this.#folder, job_id)
    const others = namesIn(folder).filter((name) => name !== upload)
    if (others.length >= MAX_UPLOADS_OF_JOB)
      throw new Refusal(
        'rate_limited',
        `a job sends at most ${MAX_UPLOADS_OF_JOB} files at once: finish some first`,
        { headers: { 'retry-after': '10' } },
      )
    mkdirSync(join(folder, upload), { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, upload, DAYS), `${days ?? ''}`, { mode: 0o600 })
  }

  daysOf({ job_id, upload }: UploadClaims): number | null {
    const text = readFileSync(join(this.#folder, job_id, upload, DAYS), 'utf8')
    return text === '' ? null : Number(text)
  }

  /** Stores a block. One of the same name is replaced. */
  async putBlock(
    claims: UploadClaims,
    block: string,
    stream: (maxBytes: number) => AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const folder = this.#require(claims)
    const sizes = this.#sizesOf(folder)
    if (!sizes.has(block) && sizes.count >= MAX_BLOCKS)
      throw invalid('blockid', `a file has at most ${MAX_BLOCKS} blocks`)
    const partial = join(folder, `${randomToken(9)}${PARTIAL}`)
    sizes.set(partial, 0)
    try {
      await this.#receive(partial, stream(MAX_UPLOAD_BYTES), sizes)
      await rename(partial, join(folder, block))
      sizes.set(block, sizes.of(partial))
    } finally {
      sizes.delete(partial)
      rmSync(partial, { force: true })
    }
  }

  /** Sets the blocks of the file, in their order. Throws 400 for a block that was not sent. */
  async setBlocks(claims: UploadClaims, blocks: readonly string[]): Promise<void> {
    const folder = this.#require(claims)
    const sizes = this.#sizesOf(folder)
    if (blocks.length > MAX_BLOCKS || blocks.some((block) => !sizes.has(block)))
      throw new Refusal('bad_request', 'the list names a block that was not sent', {
        reason: 'InvalidBlockList',
      })
    const partial = join(folder, `${randomToken(9)}${PARTIAL}`)
    await writeFile(partial, blocks.join('\n'), { mode: 0o600 })
    await rename(partial, join(folder, LIST))
  }

  /** The file of an upload; null when it was not begun or has ended. Throws 409 before its list. */
  file(claims: UploadClaims): ReceivedFile | null {
    const folder = join(this.#folder, claims.job_id, claims.upload)
    if (!existsSync(folder)) return null
    const list = join(folder, LIST)
    if (!existsSync(list)) throw conflict('not_open', 'the file was not uploaded yet')
    const text = readFileSync(list, 'utf8')
    const blocks = text === '' ? [] : text.split('\n')
    const sizes = this.#sizesOf(folder)
    const size = blocks.reduce((sum, block) => sum + sizes.of(block), 0)
    if (size > MAX_UPLOAD_BYTES) throw tooLarge()
    return { size, bytes: bytesOf(blocks.map((block) => join(folder, block))) }
  }

  async end({ job_id, upload }: UploadClaims): Promise<void> {
    const folder = join(this.#folder, job_id, upload)
    this.#sizes.delete(folder)
    await rm(folder, { recursive: true, force: true })
  }

  /** Removes the uploads of jobs that do not run. */
  async sweep(): Promise<void> {
    for (const job_id of namesIn(this.#folder)) {
      const folder = join(this.#folder, job_id)
      if (findJob(this.hearth.db, job_id)?.status === 'in_progress') continue
      for (const upload of namesIn(folder)) await this.end({ job_id, upload })
      await rm(folder, { recursive: true, force: true })
    }
  }

  #require({ job_id, upload }: UploadClaims): string {
    const folder = join(this.#folder, job_id, upload)
    if (findJob(this.hearth.db, job_id)?.status !== 'in_progress' || !existsSync(folder))
      throw notFound('this upload')
    return folder
  }

  /** What an earlier process received counts too. */
  #sizesOf(folder: string): BlockSizes {
    const known = this.#sizes.get(folder)
    if (known) return known
    const names = namesIn(folder).filter((name) => BLOCK.test(name))
    const sizes = new BlockSizes(
      new Map(names.map((name) => [name, statSync(join(folder, name)).size])),
    )
    this.#sizes.set(folder, sizes)
    return sizes
  }

  async #receive(path: string, bytes: AsyncIterable<Uint8Array>, sizes: BlockSizes): Promise<void> {
    const file = await open(path, 'wx', 0o600)
    try {
      let [size, checkedAt] = [0, -DISK_CHECK_BYTES]
      for await (const part of bytes) {
        if (size - checkedAt >= DISK_CHECK_BYTES) {
          checkedAt = size
          requireFreeBytes(this.hearth, this.#folder, 0)
        }
        size += part.length
        sizes.set(path, size)
        if (sizes.total > MAX_UPLOAD_BYTES) throw tooLarge()
        await writeFully(file, part)
      }
    } finally {
      await file.close()
    }
  }
}

async function* bytesOf(paths: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const path of paths) yield* createReadStream(path) as AsyncIterable<Uint8Array>
}

export const uploads = service('uploads of jobs', (hearth) => new Uploads(hearth))
