import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { backupRecord } from './backup-record.ts'
import { Backup } from './schema.ts'
import { insertRequestedBackup, enqueueBackup } from './schedule.ts'
import { findUnfinished, requireBackupRow } from './store.ts'

export const createBackup = operation({
  name: 'create_backup',
  summary:
    'Begin a backup of the whole forge while it runs: the database, all repositories, all files. One at a time. One that is given a name is kept until somebody takes it away. For site administrators, people only.',
  keywords: ['back up', 'snapshot of the server', 'save everything', 'start a backup'],
  route: 'POST /admin/backups',
  toolset: 'admin',
  access: siteAdmin({ writes: true }),
  input: Type.Object({
    name: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'What it is made for, such as "before the move".',
      }),
    ),
  }),
  output: Backup,
  status: 202,

  handler: ({ hearth, caller, write }, { name }) =>
    write((tx) => {
      const given = name?.trim() || null
      if (given !== null && /[\0-\x1f\x7f]/.test(given))
        throw invalid('name', 'a name stands on one line')
      const other = findUnfinished(tx.db)
      if (other)
        throw conflict('in_progress', 'a backup is being made already: wait for its end', {
          backup: other.id,
        })
      const id = insertRequestedBackup(tx, { name: given, scheduled: false, created_by: caller.id })
      enqueueBackup(tx, id)
      const row = requireBackupRow(tx.db, id)
      tx.audit({
        action: 'backup.created',
        target: { kind: 'backup', id, name: given ?? id },
        data: { after: { place: row.place, encrypted: row.encrypted === 1 } },
      })
      return backupRecord(hearth, row)
    }),
})
