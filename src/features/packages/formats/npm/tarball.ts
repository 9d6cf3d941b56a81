/** Reads `package.json` out of a tarball, with bounds on bytes, entries and time. */
import { localBlob, type Blob } from '#core/blobs.ts'
import type { Hearth } from '#core/hearth.ts'
import { invalid, Refusal } from '#lib/errors.ts'

const BLOCK_BYTES = 512
const MAX_ENTRIES = 100_000
const MAX_PACKAGE_JSON_BYTES = 1024 ** 2
/** More than this many times its packed size is no package. */
const MAX_RATIO = 200

const notTarball = (why: string): Refusal =>
  invalid('tarball', `the tarball cannot be read: ${why}`)

type Entry = { readonly name: string; readonly size: number; readonly type: string }

/** The number in a field of a header (POSIX ustar: octal digits). */
const octal = (block: Uint8Array, at: number, length: number): number =>
  Number.parseInt(
    Buffer.from(block.subarray(at, at + length))
      .toString('latin1')
      .trim(),
    8,
  )

const text = (block: Uint8Array, at: number, length: number): string =>
  Buffer.from(block.subarray(at, at + length))
    .toString('utf8')
    .split('\0', 1)[0] ?? ''

/** The entry of a header block; null for the zeros at the end. */
function parseHeader(block: Uint8Array): Entry | null {
  if (block.every((byte) => byte === 0)) return null
  const size = octal(block, 124, 12)
  if (!Number.isSafeInteger(size) || size < 0) throw notTarball('it is not a tar archive')
  const prefix = text(block, 257, 5) === 'ustar' ? text(block, 345, 155) : ''
  const name = text(block, 0, 100)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size,
    type: String.fromCharCode(block[156] ?? 0),
  }
}

/** `package/package.json`, whatever the first folder is called. */
const isPackageJson = ({ name, type }: Entry): boolean =>
  (type === '0' || type === '\0') && /^[^/]+\/package\.json$/.test(name.replace(/^\.\//, ''))

/** Follows the entries of a tar archive while it arrives. Keeps one file, not the archive. */
class PackageJsonFinder {
  #block = new Uint8Array(BLOCK_BYTES)
  #filled = 0
  #skip = 0
  #entries = 0
  #found: { readonly bytes: Uint8Array; filled: number } | null = null

  /** The bytes of the file once they are complete. */
  take(chunk: Uint8Array): Uint8Array | null {
    let at = 0
    while (at < chunk.length) {
      if (this.#found) {
        const part = chunk.subarray(at, at + this.#found.bytes.length - this.#found.filled)
        this.#found.bytes.set(part, this.#found.filled)
        this.#found.filled += part.length
        at += part.length
        if (this.#found.filled === this.#found.bytes.length) return this.#found.bytes
      } else if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, chunk.length - at)
        this.#skip -= skipped
        at += skipped
      } else {
        const part = chunk.subarray(at, at + BLOCK_BYTES - this.#filled)
        this.#block.set(part, this.#filled)
        this.#filled += part.length
        at += part.length
        if (this.#filled === BLOCK_BYTES) this.#takeHeader()
      }
    }
    return null
  }

  #takeHeader(): void {
    this.#filled = 0
    const entry = parseHeader(this.#block)
    if (entry === null) return
    if (++this.#entries > MAX_ENTRIES) throw notTarball(`it has more than ${MAX_ENTRIES} entries`)
    if (isPackageJson(entry)) {
      if (entry.size > MAX_PACKAGE_JSON_BYTES) throw notTarball('package.json has more than 1 MiB')
      this.#found = { bytes: new Uint8Array(entry.size), filled: 0 }
      if (entry.size === 0) throw notTarball('package.json is empty')
    } else this.#skip = Math.ceil(entry.size / BLOCK_BYTES) * BLOCK_BYTES
  }
}

/** A turn of the event loop, so that a long archive holds up nobody. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function findPackageJson(path: string, size: number): Promise<Uint8Array> {
  const finder = new PackageJsonFinder()
  const inflated = Bun.file(path).stream().pipeThrough(new DecompressionStream('gzip'))
  let total = 0
  for await (const chunk of inflated) {
    total += chunk.length
    if (total > MAX_RATIO * size + 1024 ** 2)
      throw notTarball(`it unpacks to more than ${MAX_RATIO} times its size`)
    const found = finder.take(chunk)
    if (found) return found
    await nextTurn()
  }
  throw notTarball('it has no package.json in its first folder')
}

/** Throws 422 for anything that is not a tarball of npm. */
export async function readPackageJson(
  hearth: Hearth,
  { sha256, size }: Blob,
): Promise<Record<string, unknown>> {
  const path = await localBlob(hearth, sha256)
  if (path === null) throw new Refusal('unavailable', 'the tarball is missing on this installation')
  let bytes: Uint8Array
  try {
    bytes = await findPackageJson(path, size)
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw notTarball('it is not gzip')
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {}
  throw notTarball('its package.json is not JSON')
}
