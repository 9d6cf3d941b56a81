/**
 * Fetched images on disk: one file each, named by the digest of its address. The files can be
 * fetched again, so they are not in backups and not synced. The directory is bounded: images that
 * were not read for the longest time are deleted first.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { service } from '#core/service.ts'
import { randomToken, sha256 } from '#lib/hash.ts'
import { HOUR } from '#lib/time.ts'

const MAX_BYTES = 256 * 1024 * 1024
/** An image is fetched again after this time. */
const MAX_AGE_MS = 24 * HOUR

export type StoredImage = { readonly type: string; readonly bytes: Uint8Array }

type Entry = { readonly size: number; readonly atMs: number }

export class ImageCache {
  /** By name, in the order of their last use. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  #loaded = false

  constructor(
    private readonly directory: string,
    private readonly now: () => number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  async find(address: string): Promise<StoredImage | null> {
    this.#load()
    const name = sha256(address)
    const entry = this.#entries.get(name)
    if (!entry) return null
    const age = this.now() - entry.atMs
    const file = Bun.file(join(this.directory, name))
    const data = age < 0 || age > MAX_AGE_MS ? null : await file.bytes().catch(() => null)
    const end = data?.indexOf(0x0a) ?? -1
    if (!data || end < 0) {
      this.#remove(name)
      return null
    }
    if (this.#entries.delete(name)) this.#entries.set(name, entry)
    return {
      type: Buffer.from(data.subarray(0, end)).toString('latin1'),
      bytes: data.subarray(end + 1),
    }
  }

  /** Stores an image. Failures of the disk are ignored, because the image can be fetched again. */
  async put(address: string, { type, bytes }: StoredImage): Promise<void> {
    this.#load()
    const name = sha256(address)
    const partial = join(this.directory, `${randomToken(9)}.partial`)
    const data = Buffer.concat([Buffer.from(`${type}\n`), bytes])
    try {
      await Bun.write(partial, data)
      this.#remove(name)
      renameSync(partial, join(this.directory, name))
    } catch {
      rmSync(partial, { force: true })
      return
    }
    this.#entries.set(name, { size: data.length, atMs: this.now() })
    this.#bytes += data.length
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.maxBytes) break
      this.#remove(oldest)
    }
  }

  #remove(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry) return
    this.#entries.delete(name)
    this.#bytes -= entry.size
    rmSync(join(this.directory, name), { force: true })
  }

  #load(): void {
    if (this.#loaded) return
    this.#loaded = true
    if (!existsSync(this.directory)) mkdirSync(this.directory, { recursive: true, mode: 0o700 })
    const found = readdirSync(this.directory).flatMap((name) => {
      const path = join(this.directory, name)
      const { size, mtimeMs: atMs } = statSync(path)
      if (/^[0-9a-f]{64}$/.test(name)) return [{ name, size, atMs }]
      rmSync(path, { force: true, recursive: true })
      return []
    })
    for (const { name, size, atMs } of found.sort((a, b) => a.atMs - b.atMs)) {
      this.#entries.set(name, { size, atMs })
      this.#bytes += size
    }
  }
}

export const imageCache = service(
  'images from elsewhere',
  ({ settings, clock }) =>
    new ImageCache(join(settings.data, 'cache', 'images'), () => clock.now()),
)
