/** The table `push_certificates`. */
import type { Db } from '#core/db.ts'
import type { Tx } from '#core/write.ts'
import type { CertificateReason } from '../schema-code.ts'

export type CertificateRow = {
  readonly id: string
  readonly repo_id: string
  readonly nonce: string
  readonly pusher_id: string
  readonly signer_id: string | null
  readonly kind: 'ssh' | 'gpg'
  readonly reason: CertificateReason
  readonly fingerprint: string | null
  readonly signed: string
  readonly signature: string
  readonly created_at: string
}

export function insertCertificate(tx: Tx, row: CertificateRow): void {
  tx.db.run(
    `INSERT INTO push_certificates (id, repo_id, nonce, pusher_id, signer_id, kind, reason,
       fingerprint, signed, signature, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    row.id,
    row.repo_id,
    row.nonce,
    row.pusher_id,
    row.signer_id,
    row.kind,
    row.reason,
    row.fingerprint,
    row.signed,
    row.signature,
    row.created_at,
  )
}

export const hasCertificate = (db: Db, nonce: string): boolean =>
  db.one('SELECT 1 FROM push_certificates WHERE nonce = ?', nonce) !== null

/** One of a push to the repository, or to the fork of a pull request. */
export const findCertificate = (db: Db, repo_id: string, id: string): CertificateRow | null =>
  db.one<CertificateRow>(
    `SELECT c.* FROM push_certificates c JOIN repos r ON r.id = c.repo_id
     WHERE c.id = ?1 AND (r.id = ?2 OR r.parent_id = ?2)`,
    id,
    repo_id,
  )

/** Deletes some certificates of a repository. Each may have some megabytes. */
export const removeCertificatesOfRepo = (tx: Tx, repo_id: string): number =>
  tx.db.run(
    `DELETE FROM push_certificates
     WHERE id IN (SELECT id FROM push_certificates WHERE repo_id = ? LIMIT 20)`,
    repo_id,
  )
