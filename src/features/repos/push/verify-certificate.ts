/**
 * Certificates of signed pushes. The git server has checked the nonce and the address before; the
 * commands of the push are those of the certificate.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import { typeId } from '#core/ids.ts'
import type { Tx } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { checkSignature } from '../commits/verify-signature.ts'
import type { CertificateReason, PushSignature, ReceivedCertificate } from '../schema-code.ts'
import {
  hasCertificate,
  insertCertificate,
  type CertificateRow,
} from '../store/push-certificates.ts'

/**
 * The row of a certificate. Throws 422 for a signature that does not fit the text. One by an unknown
 * key, or by a key of another account, is kept and does not count as verified.
 */
export function verifyCertificate(
  hearth: Hearth,
  caller: SignedIn,
  repo_id: string,
  { nonce, signed, signature }: ReceivedCertificate,
): Omit<CertificateRow, 'created_at'> {
  const checked = checkSignature(hearth, { armored: signature, signed: Buffer.from(signed) })
  const { kind, owner, fingerprint, problem } = checked
  if (problem === 'invalid' || problem === 'malformed_signature')
    throw invalid(
      'certificate',
      `the signature of the push certificate is ${problem === 'invalid' ? 'not one of its text' : 'malformed'}`,
    )
  const reason: CertificateReason = problem ?? (owner === caller.id ? 'valid' : 'not_pusher')
  return {
    id: typeId('pct', hearth.clock.now()),
    repo_id,
    nonce,
    pusher_id: caller.id,
    signer_id: owner,
    kind,
    reason,
    fingerprint,
    signed,
    signature,
  }
}

/** Stores a certificate. Throws 409 when it was used before. */
export function keepCertificate(tx: Tx, row: Omit<CertificateRow, 'created_at'>): PushSignature {
  if (hasCertificate(tx.db, row.nonce))
    throw conflict('already_exists', 'this push certificate was used before: push again')
  insertCertificate(tx, { ...row, created_at: tx.now })
  const { id, reason, fingerprint, signer_id } = row
  return {
    certificate: id,
    verified: reason === 'valid',
    reason,
    signer: signer_id === null ? null : actorOf(tx.hearth, signer_id).username,
    fingerprint,
  }
}

export type CertificateToKeep = Parameters<typeof keepCertificate>[1]
