/** Encodes parts of files for storage (naming, compression, encryption) and decodes them. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { hmacSha256, sha256 } from '#lib/hash.ts'
import { PART_BYTES, partPath, type Manifest } from './manifest.ts'
import { BackupError, MissingObjectError, type BackupStore } from './backup-store.ts'
import { createDecrypter, createEncrypter } from './encryption.ts'

const ZSTD_LEVEL = 3

export type PartEncoding = {
  readonly recipients: readonly string[]
  /**
   * The HMAC key for names of encrypted parts. Without it, a reader of the store could test whether
   * a known file is in a backup.
   */
  readonly name_key: Uint8Array
}

export class PartEncoder {
  readonly #seal: ((bytes: Uint8Array) => Promise<Uint8Array>) | null
  /** Part of each name, so that a part for other recipients is never reused. */
  readonly #readers: string

  constructor(private readonly packing: PartEncoding) {
    this.#seal = packing.recipients.length === 0 ? null : createEncrypter(packing.recipients)
    this.#readers = sha256([...packing.recipients].sort().join('\n'))
  }

  name(plain: Uint8Array, compress: boolean): string {
    const hash = sha256(plain)
    const ending = compress ? '.zst' : ''
    if (this.#seal === null) return `${hash}${ending}`
    const mac = hmacSha256(this.packing.name_key, `${this.#readers} ${hash}`)
    return `${Buffer.from(mac).toString('hex')}${ending}.age`
  }

  async pack(plain: Uint8Array, compress: boolean): Promise<Uint8Array> {
    const small: Uint8Array = compress
      ? zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } })
      : plain
    return this.#seal === null ? small : await this.#seal(small)
  }

  seal(plain: Uint8Array): Promise<Uint8Array> | null {
    return this.#seal === null ? null : this.#seal(plain)
  }
}

/** Reads a stored part. Throws BackupError when it is missing or does not match the manifest. */
export async function fetchPart(
  store: BackupStore,
  manifest: Manifest,
  name: string,
): Promise<Uint8Array> {
  const [size, hash] = manifest.parts[name] ?? [0, '']
  let stored: Uint8Array
  try {
    stored = await store.get(partPath(name))
  } catch (error) {
    if (error instanceof MissingObjectError)
      throw new BackupError(`the part ${partPath(name)} is missing`)
    throw error
  }
  if (stored.length !== size || sha256(stored) !== hash)
    throw new BackupError(`the part ${partPath(name)} is damaged`)
  return stored
}

/** Decodes stored parts into bytes of files. */
export function createPartDecoder(
  identities: readonly string[],
): (name: string, stored: Uint8Array) => Promise<Uint8Array> {
  const open = createDecrypter(identities)
  return async (name, stored) => {
    const opened = name.endsWith('.age') ? await open(stored) : stored
    if (!/\.zst(\.age)?$/.test(name)) return opened
    try {
      return zstdDecompressSync(opened, { maxOutputLength: PART_BYTES })
    } catch {
      throw new BackupError(`the part ${partPath(name)} is damaged`)
    }
  }
}
