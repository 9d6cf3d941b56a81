/**
 * The key by which clients know this installation, in `<data>/secrets/`. Ed25519 alone: every
 * client in use has it, and ssh2 would offer SHA-1 with an RSA key.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newEd25519Key } from './ed25519-key.ts'
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

const KINDS = [
  { algorithm: 'ssh-ed25519', file: 'ssh_host_ed25519_key', create: newEd25519Key },
] as const

/** The keys of a data directory. They are created at the first call. */
export function sshHostKeys(data: string): readonly SshHostKey[] {
  const directory = join(data, 'secrets')
  return KINDS.map(({ algorithm, file, create }) => {
    const path = join(directory, file)
    if (!existsSync(path)) {
      mkdirSync(directory, { recursive: true, mode: 0o700 })
      const { pem, line } = create()
      // The private key comes last, because it says that both are there.
      writeFileSync(`${path}.pub`, `${line}\n`)
      writeFileSync(`${path}.partial`, pem, { mode: 0o600, flush: true })
      renameSync(`${path}.partial`, path)
    }
    const line = readFileSync(`${path}.pub`, 'utf8').trim()
    const blob = Buffer.from(line.split(' ')[1] ?? '', 'base64')
    const privateKey = readFileSync(path, 'utf8')
    return { algorithm, privateKey, line, fingerprint: sshFingerprint(blob) }
  })
}
