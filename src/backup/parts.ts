/** Parts of files: how bytes become what is stored, and back. */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { hmacSha256, sha256 } from '#lib/hash.ts'
import { PART_BYTES, partName, type Manifest } from './manifest.ts'
import { BackupError, Missing, type Place } from './place.ts'
import { opener, sealer } from './sealing.ts'

const LEVEL = 3

export type Packing = {
  readonly recipients: readonly string[]
  /**
   * Names of encrypted parts are made with it, so that nobody can ask the place whether it holds a
   * file that they know.
   */
  readonly name_key: Uint8Array
}

/** Knows names and stored forms of parts that are written for some recipients. */
export class Packer {
  readonly #seal: ((bytes: Uint8Array) => Promise<Uint8Array>) | null
  /** A word for the recipients, so that a part is not taken for one that others can read. */
  readonly #readers: string

  constructor(private readonly packing: Packing) {
    this.#seal = packing.recipients.length === 0 ? null : sealer(packing.recipients)
    this.#readers = sha256([...packing.recipients].sort().join('\n'))
  }

  name(plain: Uint8Array, compress: boolean): string {
    const hash = sha256(plain)
    const ending = compress ? '.zst' : ''
    if (this.#seal === null) return `${hash}${ending}`
    return `${Buffer.from(hmacSha256(this.packing.name_key, `${this.#readers} ${hash}`)).toString('hex')}${ending}.age`
  }

  async pack(plain: Uint8Array, compress: boolean): Promise<Uint8Array> {
    const small: Uint8Array = compress
      ? zstdCompressSync(plain, { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } })
      : plain
    return this.#seal === null ? small : await this.#seal(small)
  }

  seal(plain: Uint8Array): Promise<Uint8Array> | null {
    return this.#seal === null ? null : this.#seal(plain)
  }
}

/**
 * A part as it is stored, held against the manifest. Gives BackupError when it is missing or other
 * than it was.
 */
export async function fetchPart(
  place: Place,
  manifest: Manifest,
  name: string,
): Promise<Uint8Array> {
  const [size, hash] = manifest.parts[name] ?? [0, '']
  let stored: Uint8Array
  try {
    stored = await place.get(partName(name))
  } catch (error) {
    if (error instanceof Missing) throw new BackupError(`the part ${partName(name)} is missing`)
    throw error
  }
  if (stored.length !== size || sha256(stored) !== hash)
    throw new BackupError(`the part ${partName(name)} is damaged`)
  return stored
}

/** Turns stored parts back into bytes of files. */
export function unpacker(
  identities: readonly string[],
): (name: string, stored: Uint8Array) => Promise<Uint8Array> {
  const open = opener(identities)
  return async (name, stored) => {
    const opened = name.endsWith('.age') ? await open(stored) : stored
    if (!/\.zst(\.age)?$/.test(name)) return opened
    try {
      return zstdDecompressSync(opened, { maxOutputLength: PART_BYTES })
    } catch {
      throw new BackupError(`the part ${partName(name)} is damaged`)
    }
  }
}
