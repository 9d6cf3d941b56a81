import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict } from '#lib/errors.ts'
import { backupRecord } from './backup-record.ts'
import { Backup } from './schema.ts'
import { enqueueVerification } from './schedule.ts'
import { requireBackupRow } from './store.ts'

export const verifyBackup = operation({
  name: 'verify_backup',
  summary:
    'Begin to prove a backup: it is restored beside the forge, the copy is opened and examined, and then thrown away. The answer tells how it stands. For site administrators, people only.',
  keywords: ['test a backup', 'can it be restored', 'check a backup', 'prove a restore'],
  route: 'POST /admin/backups/{id}/verify',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({ id: Type.String({ maxLength: 200, description: 'The id of a backup.' }) }),
  output: Backup,
  status: 202,

  handler: ({ hearth, write }, { id }) =>
    write((tx) => {
      const row = requireBackupRow(tx.db, id)
      if (row.state !== 'done')
        throw conflict('not_ready', 'only a backup that is made can be proved')
      if (row.verification === 'queued' || row.verification === 'running')
        throw conflict('in_progress', 'it is being proved already')
      enqueueVerification(tx, id)
      tx.audit({ action: 'backup.verified', target: { kind: 'backup', id, name: row.name ?? id } })
      return backupRecord(hearth, requireBackupRow(tx.db, id))
    }),
})
