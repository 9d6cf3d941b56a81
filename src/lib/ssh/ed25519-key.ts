/** Ed25519 key pairs as `ssh-keygen` makes them, for the installation and for its mirrors. */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'

const field = (value: Uint8Array | string): Buffer => {
  const bytes = Buffer.from(value as Uint8Array)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(bytes.length)
  return Buffer.concat([length, bytes])
}

const part = (key: KeyObject, name: 'x' | 'd'): Buffer =>
  Buffer.from(String(key.export({ format: 'jwk' })[name] ?? ''), 'base64url')

/** The private key in OpenSSH's format, unencrypted (PROTOCOL.key). */
function opensshPem(publicBlob: Buffer, privateFields: Buffer): string {
  const check = randomBytes(4)
  const body = Buffer.concat([check, check, privateFields, field('')])
  const padding = Buffer.from(
    Array.from({ length: (8 - (body.length % 8)) % 8 }, (_, at) => at + 1),
  )
  const none = field('none')
  const one = Buffer.from([0, 0, 0, 1])
  const bytes = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    none,
    none,
    field(''),
    one,
    field(publicBlob),
    field(Buffer.concat([body, padding])),
  ])
  const lines = bytes.toString('base64').match(/.{1,70}/g) ?? []
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`
}

/** A new key pair: the private key in OpenSSH's format, and the line of its `.pub` file. */
export function newEd25519Key(): { readonly pem: string; readonly line: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const point = part(publicKey, 'x')
  const blob = Buffer.concat([field('ssh-ed25519'), field(point)])
  const secret = Buffer.concat([part(privateKey, 'd'), point])
  return {
    line: `ssh-ed25519 ${blob.toString('base64')}`,
    pem: opensshPem(blob, Buffer.concat([blob, field(secret)])),
  }
}
