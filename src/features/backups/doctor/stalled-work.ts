/** Checks for failed jobs and old backups. */
import { DAY } from '#lib/time.ts'
import { findLastDone, findLastFailure } from '../store.ts'
import { countFailedJobs } from '../store-doctor.ts'
import { note, type Check } from './finding.ts'

export const failedJobs: Check = {
  name: 'failed jobs',
  appliesToCopies: false,
  run: ({ hearth }) =>
    countFailedJobs(hearth.db).map(({ kind, n, error }) =>
      note(
        `${n} of ${kind}${error === null ? '' : `, one with: ${error.split('\n')[0]?.slice(0, 200) ?? ''}`}`,
        'They were tried as often as they are and are kept for you to see. They are not tried again unless you ask for it.',
      ),
    ),
}

const MAX_BACKUP_AGE_MS = 8 * DAY

export const backupAge: Check = {
  name: 'backups',
  appliesToCopies: false,
  run({ hearth }) {
    const last = findLastDone(hearth.db)
    const failure = findLastFailure(hearth.db)
    if (!last)
      return [
        note(
          'no backup of this forge is known',
          'If this disk is lost, everything is. Set backups.to and backups.every, or run hearth backup create --to DIR.',
        ),
      ]
    const findings = []
    const age = hearth.clock.now() - Date.parse(last.started_at ?? last.created_at)
    if (age > MAX_BACKUP_AGE_MS)
      findings.push(
        note(
          `the newest backup is ${Math.floor(age / DAY)} days old`,
          'What was done since would be lost with this disk.',
        ),
      )
    if (failure)
      findings.push(
        note(
          `the last one failed: ${failure.error ?? ''}`,
          failure.scheduled === 1
            ? 'It is tried again every hour.'
            : 'Nothing tries it again by itself: make another.',
        ),
      )
    if (last.verification === 'failed')
      findings.push(
        note(`the newest backup (${last.id}) is not sound`, 'Make another, and have it verified.'),
      )
    return findings
  },
}
