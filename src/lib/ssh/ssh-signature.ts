/** Signatures of `ssh-keygen -Y sign`, which git writes into commits and tags (PROTOCOL.sshsig). */
import { createHash, verify } from 'node:crypto'
import { parseSshBlob, SshFormatError, SshReader, type SshKey } from './ssh-key.ts'

export type SshSignature = {
  readonly key: SshKey
  /** The purpose of the signature; that of git is `git`. */
  readonly namespace: string
  readonly hash: 'sha256' | 'sha512'
  readonly algorithm: string
  readonly signature: Uint8Array
  /** The flags and counter of a security token, five bytes. */
  readonly token: Uint8Array | null
}

const MAGIC = 'SSHSIG'
const BEGIN = '-----BEGIN SSH SIGNATURE-----'
const END = '-----END SSH SIGNATURE-----'

/** Parses an armored signature. Throws SshFormatError. */
export function parseSshSignature(armored: string): SshSignature {
  const text = armored.trim()
  if (!text.startsWith(BEGIN) || !text.endsWith(END))
    throw new SshFormatError('it has no beginning or no end')
  const reader = new SshReader(
    new Uint8Array(Buffer.from(text.slice(BEGIN.length, -END.length), 'base64')),
  )
  if (Buffer.from(reader.take(MAGIC.length)).toString('latin1') !== MAGIC || reader.uint32() !== 1)
    throw new SshFormatError('it is of another version')
  const key = parseSshBlob(reader.string())
  const namespace = reader.text()
  reader.string()
  const hash = reader.text()
  if (hash !== 'sha256' && hash !== 'sha512')
    throw new SshFormatError('its hash is neither SHA-256 nor SHA-512')
  const inner = new SshReader(reader.string())
  reader.end()
  const algorithm = inner.text()
  const signature = inner.string()
  const token = key.application === null ? null : inner.take(5)
  inner.end()
  return { key, namespace, hash, algorithm, signature, token }
}

const field = (bytes: Uint8Array): Uint8Array => {
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, bytes.length)
  return Buffer.concat([length, bytes])
}

/** The two numbers of an ECDSA signature at a fixed length (IEEE P1363). */
function halves(signature: Uint8Array, bytes: number): Uint8Array | null {
  const reader = new SshReader(signature)
  const out = new Uint8Array(2 * bytes)
  for (const end of [bytes, 2 * bytes]) {
    const number = reader.number()
    if (number.length > bytes) return null
    out.set(number, end - number.length)
  }
  reader.end()
  return out
}

/** Whether the key of the signature signed these bytes for this purpose. */
export function isSignedBy(
  { key, namespace, hash, algorithm, signature, token }: SshSignature,
  purpose: string,
  bytes: Uint8Array,
): boolean {
  if (namespace !== purpose) return false
  const digest = createHash(hash).update(bytes).digest()
  const text = (value: string): Uint8Array => field(Buffer.from(value, 'latin1'))
  let signed: Uint8Array = Buffer.concat([
    Buffer.from(MAGIC, 'latin1'),
    text(namespace),
    text(''),
    text(hash),
    field(digest),
  ])
  if (key.application !== null && token) {
    // A token signs its application, the flag for a present user, and a hash of the message.
    if (((token[0] ?? 0) & 1) === 0) return false
    signed = Buffer.concat([
      createHash('sha256').update(key.application, 'latin1').digest(),
      token,
      createHash('sha256').update(signed).digest(),
    ])
  }
  try {
    if (key.algorithm === 'ssh-rsa') {
      // Never SHA-1 (ssh-rsa as a signature).
      const digestName =
        algorithm === 'rsa-sha2-512' ? 'sha512' : algorithm === 'rsa-sha2-256' ? 'sha256' : null
      return digestName !== null && verify(digestName, signed, key.key, signature)
    }
    if (algorithm !== key.algorithm) return false
    if (key.hash === null) return verify(null, signed, key.key, signature)
    const both = halves(signature, key.bits === 521 ? 66 : key.bits / 8)
    return (
      both !== null && verify(key.hash, signed, { key: key.key, dsaEncoding: 'ieee-p1363' }, both)
    )
  } catch {
    return false
  }
}
