/**
 * Verifies the signatures of commits and tags. SSH signatures are checked; OpenPGP signatures are
 * not.
 */
import type { ObjectSignature } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { parseSshSignature, isSignedBy } from '#lib/ssh-signature.ts'
import { SshFormatError } from '#lib/ssh-key.ts'
import { actorOf } from '#features/accounts/index.ts'
import { signingKeys } from '../extension-points.ts'
import type { CommitPerson, Verification } from '../schema-code.ts'

/** The namespace in git's SSH signatures (gpg-interface.c). */
const NAMESPACE = 'git'

const unverified = (
  kind: Verification['kind'],
  reason: string,
  signer: Verification['signer'] = null,
): Verification => ({ verified: false, reason, signer, kind })

/**
 * A signature counts as verified when an account owns the key and the committer (of a tag: the
 * tagger) has an address of that account. Otherwise anyone with a key could sign in another
 * person's name.
 */
export function verifySignature(
  hearth: Hearth,
  signature: ObjectSignature | null,
  committer: CommitPerson,
): Verification {
  if (signature === null) return unverified('none', 'unsigned')
  if (!signature.armored.includes('BEGIN SSH SIGNATURE')) return unverified('gpg', 'unknown_key')
  try {
    const parsed = parseSshSignature(signature.armored)
    const owner =
      signingKeys
        .all(hearth)
        .map((ask) => ask(hearth.db, parsed.key.fingerprint))
        .find((id) => id !== null) ?? null
    if (owner === null) return unverified('ssh', 'unknown_key')
    const signer = actorOf(hearth, owner)
    if (!isSignedBy(parsed, NAMESPACE, signature.signed))
      return unverified('ssh', 'invalid', signer)
    if (committer.actor?.id !== owner) return unverified('ssh', 'bad_email', signer)
    return { verified: true, reason: 'valid', signer, kind: 'ssh' }
  } catch (error) {
    if (error instanceof SshFormatError) return unverified('ssh', 'malformed_signature')
    throw error
  }
}
