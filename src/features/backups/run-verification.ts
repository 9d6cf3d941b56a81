/** The job that proves a backup. */
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import { BackupError } from '#backup'
import { teller } from './run-backup.ts'
import { identitiesOf } from './settings.ts'
import { findBackup, setVerification, setVerified } from './store.ts'
import { tellFailure } from './tell-admins.ts'
import { verifyBackup, type Verdict } from './verify.ts'

const MOST_FINDINGS = 100

export const runVerification = job<{ id: string }>({
  kind: 'run_backup_verification',
  lane: 'backups',
  retry: [],
  async run({ hearth, signal }, { id }) {
    const row = findBackup(hearth.db, id)
    if (!row || row.state !== 'done') return
    await writeAs(hearth, null, (tx) => setVerification(tx, id, 'running'))
    const { hear, done } = teller(hearth, id)
    let verdict: Verdict
    try {
      verdict = await verifyBackup(hearth, {
        from: row.place,
        id,
        identities: identitiesOf(hearth.settings),
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
      setVerified(tx, id, { by, findings: findings.slice(0, MOST_FINDINGS) })
      if (findings.length > 0) tellFailure(tx, row, 'verify', findings.slice(0, 5).join('\n'))
    })
  },
})
