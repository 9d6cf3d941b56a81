/**
 * SSH keys and signatures as `ssh-keygen` makes them, for tests (RFC 4251 section 5, OpenSSH
 * PROTOCOL.sshsig).
 */
import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto'

export const sshField = (value: string | Uint8Array): Buffer => {
  const data = typeof value === 'string' ? Buffer.from(value, 'latin1') : Buffer.from(value)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(data.length)
  return Buffer.concat([length, data])
}

/** What is signed in place of a text, for the purpose of git. */
export const sshSigned = (text: string | Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from('SSHSIG'),
    sshField('git'),
    sshField(''),
    sshField('sha512'),
    sshField(createHash('sha512').update(text).digest()),
  ])

/** A signature in its armour, around the blob of a key and what it signed. */
export function sshArmored(blob: Uint8Array, inner: Uint8Array): string {
  const whole = Buffer.concat([
    Buffer.from('SSHSIG'),
    Buffer.from([0, 0, 0, 1]),
    sshField(blob),
    sshField('git'),
    sshField(''),
    sshField('sha512'),
    sshField(inner),
  ])
  return [
    '-----BEGIN SSH SIGNATURE-----',
    ...(whole.toString('base64').match(/.{1,70}/g) ?? []),
    '-----END SSH SIGNATURE-----',
  ].join('\n')
}

/** The 32 bytes of an Ed25519 public key. */
export const ed25519Point = (key: KeyObject): Buffer =>
  Buffer.from(String(key.export({ format: 'jwk' }).x), 'base64url')

/**
 * A new Ed25519 key: the line of its `.pub` file, and what `ssh-keygen -Y sign -n git` writes about
 * a text.
 */
export function newSshKey(): { readonly line: string; sign(text: string): string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const blob = Buffer.concat([sshField('ssh-ed25519'), sshField(ed25519Point(publicKey))])
  return {
    line: `ssh-ed25519 ${blob.toString('base64')} somebody@laptop`,
    sign: (text) =>
      sshArmored(
        blob,
        Buffer.concat([sshField('ssh-ed25519'), sshField(sign(null, sshSigned(text), privateKey))]),
      ),
  }
}
