import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { conflict } from '#lib/errors.ts'
import { fullName, repoById } from '#features/repos/index.ts'
import { requireManagedImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { Import } from './schema.ts'
import { abortImport } from './running-imports.ts'
import { requireImport, setEnded, type ImportRow } from './store.ts'

/** Writes an audit entry about an import. */
export const auditImport = (
  tx: Tx,
  action: 'import.cancelled' | 'import.retried',
  row: ImportRow,
): void =>
  tx.audit({
    action,
    target: { kind: 'repo', id: row.repo_id, name: fullName(tx.db, row.repo_id) },
    workspace_id: repoById(tx.db, row.repo_id)?.workspace_id ?? null,
    repo_id: row.repo_id,
  })

/** Ends an import in this transaction and aborts its requests after the commit. */
export function endImport(tx: Tx, row: ImportRow): void {
  setEnded(tx, row.id, 'cancelled', [])
  tx.afterCommit(() => abortImport(tx.hearth, row.id))
}

export const cancelImport = operation({
  name: 'cancel_import',
  summary:
    'Cancel an import. Its repository stays, empty unless the code was complete. For who started it and for owners of its workspace. Answers the import.',
  keywords: ['stop an import', 'abort a migration'],
  route: 'POST /imports/{id}/cancel',
  toolset: 'mirrors',
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({ id: Id('imp') }),
  output: Import,
  status: 200,
  annotations: { destructive: true, idempotent: true, openWorld: true },

  handler: ({ hearth, caller, write }, { id }) =>
    write((tx) => {
      const row = requireManagedImport(tx, caller, id)
      if (row.state === 'cancelled') return importRecord(hearth, row)
      if (row.finished_at !== null)
        throw conflict('already_closed', `the import is over: ${row.state}`, { state: row.state })
      if (row.phase === 'refs')
        throw conflict(
          'in_progress',
          'all of it has come and its branches are being made: it is done in a moment',
        )
      endImport(tx, row)
      auditImport(tx, 'import.cancelled', row)
      return importRecord(hearth, requireImport(tx.db, id))
    }),
})
