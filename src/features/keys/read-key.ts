import type { Db } from '#core/db.ts'
import { Refusal } from '#lib/errors.ts'
import { parseSshLine, SshFormatError, type SshKey } from '#lib/ssh/ssh-key.ts'
import { findDeployKeyByFingerprint } from './store-deploy-keys.ts'
import { findKeyByFingerprint } from './store.ts'

/** Throws 422 for a line that is no public key, or no secure one. */
export function readKey(line: string): SshKey {
  try {
    return parseSshLine(line).key
  } catch (error) {
    if (error instanceof SshFormatError)
      throw new Refusal('invalid', `key is no public SSH key: ${error.message}`, { field: 'key' })
    throw error
  }
}

/** A key stands for one account or one repository. Throws 409. */
export function requireNewKey(db: Db, fingerprint: string): void {
  const taken = findKeyByFingerprint(db, fingerprint)
    ? 'an account'
    : findDeployKeyByFingerprint(db, fingerprint)
      ? 'a repository'
      : null
  if (taken !== null)
    throw new Refusal('conflict', `${fingerprint} is a key of ${taken} already`, {
      reason: 'already_exists',
      field: 'key',
    })
}
