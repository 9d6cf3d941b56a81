/**
 * A cache on disk of archives of actions from other forges, and of the commits that their refs
 * pointed at. It can be fetched again, so backups leave it out. The least recently used file is
 * deleted first.
 */
import { createWriteStream } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { service } from '#core/service.ts'
import { randomToken, sha256 } from '#lib/hash.ts'

const MAX_BYTES = 1024 ** 3

export class ActionCache {
  readonly #running = new Map<string, Promise<string>>()

  constructor(
    private readonly directory: string,
    private readonly now: () => number,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** The path of an archive. Calls for the same missing archive share one `fetch`. */
  async open(key: string, fetch: () => Promise<ReadableStream<Uint8Array>>): Promise<string> {
    const path = this.#pathOf(key)
    const seconds = this.now() / 1_000
    const isHere = await utimes(path, seconds, seconds).then(
      () => true,
      () => false,
    )
    if (isHere) return path
    const running = this.#running.get(path)
    if (running) return running
    const started = this.#store(path, fetch).finally(() => this.#running.delete(path))
    this.#running.set(path, started)
    return started
  }

  /** Deletes what is stored for a key, such as a file that is no archive. */
  async forget(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true })
  }

  /** The text that is stored for a key; null when there is none. */
  async recall(key: string): Promise<string | null> {
    return readFile(this.#pathOf(key), 'utf8').catch(() => null)
  }

  /** Stores a short text. A full disk is not an error, because the text can be requested again. */
  async remember(key: string, text: string): Promise<void> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    await writeFile(this.#pathOf(key), text).catch(() => {})
  }

  #pathOf(key: string): string {
    return join(this.directory, sha256(key))
  }

  async #store(path: string, fetch: () => Promise<ReadableStream<Uint8Array>>): Promise<string> {
    await mkdir(this.directory, { recursive: true, mode: 0o700 })
    const partial = `${path}.${randomToken(9)}.partial`
    try {
      const body = await fetch()
      await pipeline(
        Readable.fromWeb(body as unknown as Parameters<typeof Readable.fromWeb>[0]),
        createWriteStream(partial, { flags: 'wx', mode: 0o600 }),
      )
      await rename(partial, path)
    } finally {
      await rm(partial, { force: true })
    }
    await this.#evict(path)
    return path
  }

  async #evict(kept: string): Promise<void> {
    const names = await readdir(this.directory)
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.directory, name)
        const found = await stat(path).catch(() => null)
        return { path, size: found?.size ?? 0, usedMs: found?.mtimeMs ?? 0 }
      }),
    )
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of files.toSorted((a, b) => a.usedMs - b.usedMs)) {
      if (bytes <= this.maxBytes) return
      if (path === kept) continue
      await rm(path, { force: true })
      bytes -= size
    }
  }
}

export const actionCache = service(
  'cache of remote actions',
  ({ settings, clock }) =>
    new ActionCache(join(settings.data, 'cache', 'actions'), () => clock.now()),
)
