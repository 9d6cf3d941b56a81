/**
 * Verifies the signatures of commits, tags and pushes. SSH signatures are checked; OpenPGP signatures are
 * not.
 */
import type { ObjectSignature } from '#git'
import type { Hearth } from '#core/hearth.ts'
import { parseSshSignature, isSignedBy } from '#lib/ssh/ssh-signature.ts'
import { SshFormatError } from '#lib/ssh/ssh-key.ts'
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

type CheckedSignature = {
  readonly kind: 'ssh' | 'gpg'
  /** Null for a valid signature by a key that an account owns. */
  readonly problem: 'unknown_key' | 'invalid' | 'malformed_signature' | null
  /** The account that owns the key. */
  readonly owner: string | null
  /** Of the key; null when it is not known. */
  readonly fingerprint: string | null
}

/** Checks what git signed with `gpg.format`, and finds the account that owns the key. */
export function checkSignature(hearth: Hearth, signature: ObjectSignature): CheckedSignature {
  const { armored, signed } = signature
  if (!armored.includes('BEGIN SSH SIGNATURE'))
    return { kind: 'gpg', problem: 'unknown_key', owner: null, fingerprint: null }
  try {
    const parsed = parseSshSignature(armored)
    const { fingerprint } = parsed.key
    const owner =
      signingKeys
        .all(hearth)
        .map((ask) => ask(hearth.db, fingerprint))
        .find((id) => id !== null) ?? null
    const isValid = owner !== null && isSignedBy(parsed, NAMESPACE, signed)
    const problem = owner === null ? 'unknown_key' : isValid ? null : 'invalid'
    return { kind: 'ssh', problem, owner, fingerprint }
  } catch (error) {
    if (!(error instanceof SshFormatError)) throw error
    return { kind: 'ssh', problem: 'malformed_signature', owner: null, fingerprint: null }
  }
}

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
  const { kind, problem, owner } = checkSignature(hearth, signature)
  const signer = owner === null ? null : actorOf(hearth, owner)
  if (problem !== null) return unverified(kind, problem, signer)
  if (committer.actor?.id !== owner) return unverified(kind, 'bad_email', signer)
  return { verified: true, reason: 'valid', signer, kind }
}
