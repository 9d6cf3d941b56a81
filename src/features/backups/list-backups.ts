import { siteAdmin } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { backupRecord } from './backup-record.ts'
import { Backup } from './schema.ts'
import { listBackupRows } from './store.ts'

export const listBackups = operation({
  name: 'list_backups',
  summary:
    'List the backups that this forge made, is making, or failed to make, the newest first, with how far they are and whether they were proved. For site administrators.',
  keywords: ['backups', 'when was the last backup', 'backup status'],
  route: 'GET /admin/backups',
  toolset: 'admin',
  access: siteAdmin(),
  input: Type.Object({}),
  output: Type.Array(Backup),

  handler: ({ hearth, db }) => listBackupRows(db).map((row) => backupRecord(hearth, row)),
})
