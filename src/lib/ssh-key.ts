/**
 * Public keys in OpenSSH's form: the line of an `id_*.pub` file and the binary blob inside it (RFC
 * 4253 section 6.6, RFC 5656 section 3.1, RFC 8709 section 4; keys of security tokens: OpenSSH
 * PROTOCOL.u2f).
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
  /** The hash that a signature of an elliptic-curve key is made over. */
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null
  /** Of a key in a security token, what it was made for (`ssh:`). */
  readonly application: string | null
}

/**
 * Something that is no SSH key or signature, or none that is taken here; the message says which.
 */
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

  /** A positive number without the zero byte that keeps it positive. */
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
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

const LEAST_RSA_BITS = 2048
const MOST_RSA_BITS = 16_384

/**
 * Throws SshFormatError for a blob that is no public key, or one of a kind or size that proves
 * nothing any more.
 */
export function parseSshBlob(blob: Uint8Array): SshKey {
  const reader = new SshReader(blob)
  const algorithm = reader.text()
  const base = { blob, fingerprint: sshFingerprint(blob) }
  try {
    switch (algorithm) {
      case 'ssh-ed25519':
      case 'sk-ssh-ed25519@openssh.com': {
        const point = reader.string()
        const application = algorithm === 'ssh-ed25519' ? null : reader.text()
        reader.end()
        if (point.length !== 32) throw new SshFormatError('it is no Ed25519 key')
        return {
          ...base,
          algorithm,
          bits: 256,
          hash: null,
          application,
          key: createPublicKey({
            format: 'jwk',
            key: { kty: 'OKP', crv: 'Ed25519', x: base64url(point) },
          }),
        }
      }
      case 'ssh-rsa': {
        const e = reader.number()
        const n = reader.number()
        reader.end()
        const bits = n.length * 8 - Math.clz32(n[0] ?? 0) + 24
        if (bits < LEAST_RSA_BITS || bits > MOST_RSA_BITS)
          throw new SshFormatError(
            `an RSA key has from ${LEAST_RSA_BITS} to ${MOST_RSA_BITS} bits, and this has ${bits}`,
          )
        return {
          ...base,
          algorithm,
          bits,
          hash: null,
          application: null,
          key: createPublicKey({
            format: 'jwk',
            key: { kty: 'RSA', n: base64url(n), e: base64url(e) },
          }),
        }
      }
      case 'ecdsa-sha2-nistp256':
      case 'ecdsa-sha2-nistp384':
      case 'ecdsa-sha2-nistp521':
      case 'sk-ecdsa-sha2-nistp256@openssh.com': {
        const name = reader.text() as keyof typeof CURVES
        const curve = CURVES[name]
        const point = reader.string()
        const application = algorithm.startsWith('sk-') ? reader.text() : null
        reader.end()
        if (
          !curve ||
          !algorithm.includes(name) ||
          point.length !== 1 + 2 * curve.bytes ||
          point[0] !== 4
        )
          throw new SshFormatError('its curve and its point do not fit')
        const key = createPublicKey({
          format: 'jwk',
          key: {
            kty: 'EC',
            crv: curve.crv,
            x: base64url(point.subarray(1, 1 + curve.bytes)),
            y: base64url(point.subarray(1 + curve.bytes)),
          },
        })
        return {
          ...base,
          algorithm,
          bits: curve.bytes === 66 ? 521 : curve.bytes * 8,
          hash: curve.hash,
          application,
          key,
        }
      }
    }
  } catch (error) {
    if (error instanceof SshFormatError) throw error
    throw new SshFormatError('its numbers are no key')
  }
  throw new SshFormatError(
    `${JSON.stringify(algorithm.slice(0, 60))} is no kind of key that is taken here: use Ed25519, ECDSA or RSA`,
  )
}

/**
 * The line of a `.pub` file: kind, base64, and what its owner wrote behind. Throws SshFormatError.
 */
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
