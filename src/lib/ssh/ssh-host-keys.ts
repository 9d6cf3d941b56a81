/**
 * The key by which clients know this installation, in `<data>/secrets/`. Ed25519 alone: every
 * client in use has it, and ssh2 would offer SHA-1 with an RSA key.
 */
import { generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sshFingerprint } from './ssh-key.ts'

export type SshHostKey = {
  readonly algorithm: 'ssh-ed25519'
  /** In PEM, as `ssh-keygen` reads it. */
  readonly privateKey: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
  /** The line of a `known_hosts` file without the host. */
  readonly line: string
}

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

function newEd25519(): { pem: string; blob: Buffer } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const point = part(publicKey, 'x')
  const blob = Buffer.concat([field('ssh-ed25519'), field(point)])
  const secret = Buffer.concat([part(privateKey, 'd'), point])
  return { blob, pem: opensshPem(blob, Buffer.concat([blob, field(secret)])) }
}

const KINDS = [
  { algorithm: 'ssh-ed25519', file: 'ssh_host_ed25519_key', create: newEd25519 },
] as const

/** The keys of a data directory. They are created at the first call. */
export function sshHostKeys(data: string): readonly SshHostKey[] {
  const directory = join(data, 'secrets')
  return KINDS.map(({ algorithm, file, create }) => {
    const path = join(directory, file)
    if (!existsSync(path)) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const { pem, blob } = create()
      // The private key comes last, because it says that both are there.
      writeFileSync(`${path}.pub`, `${algorithm} ${blob.toString('base64')}\n`)
      writeFileSync(`${path}.partial`, pem, { mode: 0o600, flush: true })
      renameSync(`${path}.partial`, path)
    }
    const line = readFileSync(`${path}.pub`, 'utf8').trim()
    const blob = Buffer.from(line.split(' ')[1] ?? '', 'base64')
    const privateKey = readFileSync(path, 'utf8')
    return { algorithm, privateKey, line, fingerprint: sshFingerprint(blob) }
  })
}
