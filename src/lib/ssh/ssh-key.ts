/**
 * Public keys in OpenSSH's format: the line of an `id_*.pub` file and the blob inside it (RFC 4253
 * section 6.6, RFC 5656 section 3.1, RFC 8709 section 4). Keys of security tokens follow OpenSSH's
 * PROTOCOL.u2f.
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'

const CURVES = {
  nistp256: { crv: 'P-256', bytes: 32, hash: 'sha256' },
  nistp384: { crv: 'P-384', bytes: 48, hash: 'sha384' },
  nistp521: { crv: 'P-521', bytes: 66, hash: 'sha512' },
} as const

export type SshAlgorithm =
  | 'ssh-ed25519'
  | 'ssh-rsa'
  | 'ecdsa-sha2-nistp256'
  | 'ecdsa-sha2-nistp384'
  | 'ecdsa-sha2-nistp521'
  | 'sk-ssh-ed25519@openssh.com'
  | 'sk-ecdsa-sha2-nistp256@openssh.com'

export type SshKey = {
  readonly algorithm: SshAlgorithm
  readonly blob: Uint8Array
  /** `SHA256:` and 43 characters, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  /** Size of the modulus or the field. */
  readonly bits: number
  readonly key: KeyObject
  /** The hash that an ECDSA signature is computed over. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  /** The application of a key in a security token (`ssh:`). */
  readonly application: string | null
}

/** A text is no SSH key or signature, or no accepted one. The message says why. */
export class SshFormatError extends Error {}

/** Reads the fields of a blob (RFC 4251 section 5). Throws SshFormatError at its end. */
export class SshReader {
  #at = 0
  constructor(private readonly bytes: Uint8Array) {}

  take(length: number): Uint8Array {
    if (length > this.bytes.length - this.#at) throw new SshFormatError('it is cut off')
    return this.bytes.subarray(this.#at, (this.#at += length))
  }

  uint32(): number {
    const bytes = this.take(4)
    return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0)
  }

  string = (): Uint8Array => this.take(this.uint32())
  text = (): string => Buffer.from(this.string()).toString('latin1')

  /** A positive number without the leading zero byte of its sign. */
  number(): Uint8Array {
    const bytes = this.string()
    let start = 0
    while (start < bytes.length && bytes[start] === 0) start++
    return bytes.subarray(start)
  }

  end(): void {
    if (this.#at !== this.bytes.length) throw new SshFormatError('it has more bytes than it should')
  }
}

const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url')

export const sshFingerprint = (blob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replaceAll('=', '')}`

const MIN_RSA_BITS = 2048
const MAX_RSA_BITS = 16_384

/** The fields that the parsers of the algorithms add. */
type ParsedKey = Omit<SshKey, 'blob' | 'fingerprint' | 'algorithm'>

function parseEd25519(reader: SshReader, isToken: boolean): ParsedKey {
  const point = reader.string()
  const application = isToken ? reader.text() : null
  reader.end()
  if (point.length !== 32) throw new SshFormatError('it is no Ed25519 key')
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: base64url(point) }
  return {
    bits: 256,
    hash: null,
    application,
    key: createPublicKey({ format: 'jwk', key: jwk }),
  }
}

function parseRsa(reader: SshReader): ParsedKey {
  const exponent = reader.number()
  const modulus = reader.number()
  reader.end()
  const bits = modulus.length * 8 - Math.clz32(modulus[0] ?? 0) + 24
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    throw new SshFormatError(
      `an RSA key has from ${MIN_RSA_BITS} to ${MAX_RSA_BITS} bits, and this has ${bits}`,
    )
  const jwk = { kty: 'RSA', n: base64url(modulus), e: base64url(exponent) }
  return {
    bits,
    hash: null,
    application: null,
    key: createPublicKey({ format: 'jwk', key: jwk }),
  }
}

function parseEcdsa(reader: SshReader, algorithm: string): ParsedKey {
  const name = reader.text()
  const curve = Object.hasOwn(CURVES, name) ? CURVES[name as keyof typeof CURVES] : undefined
  const point = reader.string()
  const application = algorithm.startsWith('sk-') ? reader.text() : null
  reader.end()
  // An uncompressed point (SEC 1 section 2.3.3): 4, then both coordinates.
  const isFitting =
    curve !== undefined &&
    algorithm.includes(name) &&
    point.length === 1 + 2 * curve.bytes &&
    point[0] === 4
  if (!isFitting) throw new SshFormatError('its curve and its point do not fit')
  const jwk = {
    kty: 'EC',
    crv: curve.crv,
    x: base64url(point.subarray(1, 1 + curve.bytes)),
    y: base64url(point.subarray(1 + curve.bytes)),
  }
  return {
    bits: curve.bytes === 66 ? 521 : curve.bytes * 8,
    hash: curve.hash,
    application,
    key: createPublicKey({ format: 'jwk', key: jwk }),
  }
}

/**
 * Parses the blob of a public key. Throws SshFormatError for anything else, and for a key whose
 * kind or size is not secure any more.
 */
export function parseSshBlob(blob: Uint8Array): SshKey {
  const reader = new SshReader(blob)
  const algorithm = reader.text()
  const base = { blob, fingerprint: sshFingerprint(blob) }
  try {
    switch (algorithm) {
      case 'ssh-ed25519':
      case 'sk-ssh-ed25519@openssh.com':
        return { ...base, algorithm, ...parseEd25519(reader, algorithm.startsWith('sk-')) }
      case 'ssh-rsa':
        return { ...base, algorithm, ...parseRsa(reader) }
      case 'ecdsa-sha2-nistp256':
      case 'ecdsa-sha2-nistp384':
      case 'ecdsa-sha2-nistp521':
      case 'sk-ecdsa-sha2-nistp256@openssh.com':
        return { ...base, algorithm, ...parseEcdsa(reader, algorithm) }
    }
  } catch (error) {
    if (error instanceof SshFormatError) throw error
    throw new SshFormatError('its numbers are no key')
  }
  throw new SshFormatError(
    `${JSON.stringify(algorithm.slice(0, 60))} is no kind of key that is taken here: use Ed25519, ECDSA or RSA`,
  )
}

/** Parses the line of a `.pub` file: kind, base64, comment. Throws SshFormatError. */
export function parseSshLine(line: string): { readonly key: SshKey; readonly comment: string } {
  const text = line.trim()
  if (text.includes('PRIVATE KEY'))
    throw new SshFormatError(
      'this is a private key: keep it to yourself, make a new one, and give the line of its .pub file',
    )
  const [kind = '', base64 = '', ...comment] = text.split(/[ \t]+/)
  if (/[\r\n]/.test(text) || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new SshFormatError('give one line as in the .pub file: the kind, then the key')
  const key = parseSshBlob(new Uint8Array(Buffer.from(base64, 'base64')))
  if (key.algorithm !== kind)
    throw new SshFormatError(
      `the line says ${JSON.stringify(kind.slice(0, 60))} and the key is ${key.algorithm}`,
    )
  return { key, comment: comment.join(' ') }
}
