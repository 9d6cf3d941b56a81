/** Verifies the signature with which a client signs in (RFC 4252 section 7). */
import { createHash, verify } from 'node:crypto'
import { parseSshBlob, SshFormatError, type SshKey } from '#lib/ssh/ssh-key.ts'

/** What ssh2 gives of an attempt. ECDSA signatures are DER; those of tokens keep their own form. */
export type SignInAttempt = {
  readonly algorithm: string
  readonly blob: Uint8Array
  /** The hash of an RSA signature; undefined for SHA-1, and for other algorithms. */
  readonly hashAlgo: string | undefined
  readonly signature: Uint8Array
}

/** The flags and counter of a security token come after its signature. */
const TOKEN_BYTES = 5

/** What a security token signs: its application, the flags and a hash (PROTOCOL.u2f). */
function signedByToken(application: string, token: Uint8Array, message: Uint8Array): Buffer {
  return Buffer.concat([
    createHash('sha256').update(application, 'latin1').digest(),
    token,
    createHash('sha256').update(message).digest(),
  ])
}

function isSigned(key: SshKey, attempt: SignInAttempt): boolean {
  const { signature, blob, hashAlgo } = attempt
  if (key.algorithm === 'ssh-rsa')
    return (
      (hashAlgo === 'sha256' || hashAlgo === 'sha512') && verify(hashAlgo, blob, key.key, signature)
    )
  if (key.application === null)
    return key.hash === null
      ? verify(null, blob, key.key, signature)
      : verify(key.hash, blob, { key: key.key, dsaEncoding: 'der' }, signature)
  // Only Ed25519 keys of tokens: ssh2 does not pass on what ECDSA ones sign.
  if (key.hash !== null) return false
  const token = signature.subarray(-TOKEN_BYTES)
  const isPresent = token.length === TOKEN_BYTES && ((token[0] ?? 0) & 1) === 1
  const message = signedByToken(key.application, token, blob)
  return isPresent && verify(null, message, key.key, signature.subarray(0, -TOKEN_BYTES))
}

/** Whether the owner of a key, given as its blob in base64, made the signature. */
export function isSignedByKey(stored: string, attempt: SignInAttempt): boolean {
  try {
    const key = parseSshBlob(new Uint8Array(Buffer.from(stored, 'base64')))
    return key.algorithm === attempt.algorithm && isSigned(key, attempt)
  } catch (error) {
    if (error instanceof SshFormatError) return false
    // A signature of another form makes the verification throw.
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}
