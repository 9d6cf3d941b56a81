/**
 * Encryption to public keys with age (https://age-encryption.org/v1): the forge can write encrypted
 * backups without being able to read them.
 */
import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError } from './backup-store.ts'

/** Encrypts to all recipients (`age1…`). Throws BackupError for one that is no public key. */
export function createEncrypter(
  recipients: readonly string[],
): (bytes: Uint8Array) => Promise<Uint8Array> {
  const encrypter = new Encrypter()
  for (const recipient of recipients) {
    try {
      encrypter.addRecipient(recipient)
    } catch {
      throw new BackupError(
        `${JSON.stringify(recipient)} is no public key of age: it must begin with age1`,
      )
    }
  }
  return (bytes) => encrypter.encrypt(bytes)
}

/** Decrypts with any of the identities (`AGE-SECRET-KEY-1…`). */
export function createDecrypter(
  identities: readonly string[],
): (bytes: Uint8Array) => Promise<Uint8Array> {
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return async (bytes) => {
    try {
      return await decrypter.decrypt(bytes)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      throw new BackupError(
        /identit/i.test(message)
          ? 'this key does not open the backup: it was encrypted to another one'
          : 'an encrypted part is damaged',
      )
    }
  }
}

/** Parses an identity file of `age-keygen`: one identity per line, `#` begins a comment. */
export function readIdentities(text: string, path: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
  for (const line of lines) {
    try {
      new Decrypter().addIdentity(line)
    } catch {
      throw new BackupError(
        `${path} is no file of age identities: each line must be AGE-SECRET-KEY-1… or begin with #`,
      )
    }
  }
  if (lines.length === 0) throw new BackupError(`${path} holds no age identity`)
  return lines
}
