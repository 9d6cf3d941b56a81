import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import { hasBranches, requireLive } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { auditImport } from './cancel-import.ts'
import { enqueueImport, requireImportAddress } from './begin-import.ts'
import { requireManagedImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { Import } from './schema.ts'
import { findRunningImport, requireImport } from './store.ts'

export const retryImport = operation({
  name: 'retry_import',
  summary:
    'Begin an import that failed or was cancelled again, into the same repository while that is empty.',
  route: null,
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    id: Id('imp'),
    token: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
  }),
  output: Import,

  handler: async ({ hearth, caller, write }, { id, token }) => {
    const before = requireManagedImport(hearth, caller, id)
    const remote = { url: before.url, secret: token ?? null }
    await requireImportAddress(hearth, 'url', remote)
    return write((tx) => {
      const row = requireManagedImport(tx, caller, id)
      const repo = requireLive(tx.db, row.repo_id)
      if (findRunningImport(tx.db, repo.id))
        throw conflict('in_progress', 'the repository is being copied already')
      if (hasBranches(tx.db, repo.id))
        throw conflict(
          'not_empty',
          'the repository has branches by now, so nothing is copied into it',
        )
      auditImport(tx, 'import.retried', row)
      return importRecord(hearth, requireImport(tx.db, enqueueImport(tx, repo, remote, caller.id)))
    })
  },
})
