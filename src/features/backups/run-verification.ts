/** The job that verifies a backup. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { BackupError } from '#backup'
import { progressWriter } from './run-backup.ts'
import { readBackupIdentities } from './backup-settings.ts'
import { findBackup, setVerification, setVerified } from './store.ts'
import { notifyFailure } from './notify-admins.ts'
import { verifyByRestore, type VerificationResult } from './verify-by-restore.ts'

const MAX_FINDINGS = 100

export const runVerification = job<{ id: string }>({
  kind: 'run_backup_verification',
  queue: 'backups',
  retry: [],
  async run({ hearth, signal }, { id }) {
    const row = findBackup(hearth.db, id)
    if (row?.state !== 'done') return
    await writeAs(hearth, null, (tx) => setVerification(tx, id, 'running'))
    const { hear, done } = progressWriter(hearth, id)
    let verdict: VerificationResult
    try {
      verdict = await verifyByRestore(hearth, {
        from: row.place,
        id,
        identities: readBackupIdentities(hearth.settings),
        tell: hear,
        signal,
      })
    } catch (error) {
      if (signal.aborted) throw error
      if (!(error instanceof BackupError))
        hearth.log.error('a backup could not be verified', { backup: id, error })
      verdict = {
        by: 'restoring',
        findings: [error instanceof Error ? error.message : String(error)],
      }
    } finally {
      await done()
    }
    const { by, findings } = verdict
    await writeAs(hearth, null, (tx) => {
      setVerified(tx, id, { by, findings: findings.slice(0, MAX_FINDINGS) })
      if (findings.length > 0) notifyFailure(tx, row, 'verify', findings.slice(0, 5).join('\n'))
    })
  },
})
