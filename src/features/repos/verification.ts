/**
 * What the signature of a commit or tag proves. SSH signatures are looked through; those of OpenPGP
 * are not.
 */
import type { ObjectSignature } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { parseSshSignature, isSignedBy } from '#lib/ssh-signature.ts'
import { SshFormatError } from '#lib/ssh-key.ts'
import { actorOf } from '#features/accounts/index.ts'
import { signingKeys } from './points.ts'
import type { CommitPerson, Verification } from './schema-code.ts'

/** The purpose that git names when it signs (gpg-interface.c). */
const NAMESPACE = 'git'

const not = (
  kind: Verification['kind'],
  reason: string,
  signer: Verification['signer'] = null,
): Verification => ({ verified: false, reason, signer, kind })

/**
 * Verified is what the key of an account signed, and whose committer (of a tag: its tagger) has an
 * address of that account: else anybody with a key could speak in another's name.
 */
export function verificationOf(
  hearth: Hearth,
  signature: ObjectSignature | null,
  committer: CommitPerson,
): Verification {
  if (signature === null) return not('none', 'unsigned')
  if (!signature.armored.includes('BEGIN SSH SIGNATURE')) return not('gpg', 'unknown_key')
  try {
    const parsed = parseSshSignature(signature.armored)
    const owner =
      signingKeys
        .all(hearth)
        .map((ask) => ask(hearth.db, parsed.key.fingerprint))
        .find((id) => id !== null) ?? null
    if (owner === null) return not('ssh', 'unknown_key')
    const signer = actorOf(hearth, owner)
    if (!isSignedBy(parsed, NAMESPACE, signature.signed)) return not('ssh', 'invalid', signer)
    if (committer.actor?.id !== owner) return not('ssh', 'bad_email', signer)
    return { verified: true, reason: 'valid', signer, kind: 'ssh' }
  } catch (error) {
    if (error instanceof SshFormatError) return not('ssh', 'malformed_signature')
    throw error
  }
}
