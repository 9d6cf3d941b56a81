import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, Type } from '#core/schema.ts'
import type { Tx } from '#core/write.ts'
import { hasBranches, requireLive, type RemoteAccess, type RepoRow } from '#features/repos/index.ts'
import { conflict } from '#lib/errors.ts'
import { auditImport } from './cancel-import.ts'
import { enqueueImport, requireImportAddress } from './begin-import.ts'
import { requireManagedImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { TokenInput } from './inputs.ts'
import { Import } from './schema.ts'
import {
  findRunningImport,
  requireImport,
  setCodeComplete,
  setFacts,
  type ImportRow,
} from './store.ts'
import { listSteps, setStep } from './store-steps.ts'

/** Starts again with what the import before took over, so that only what is missing comes. */
function retryFrom(
  tx: Tx,
  repo: RepoRow,
  row: ImportRow,
  remote: RemoteAccess,
  created_by: string,
): string {
  const steps = listSteps(tx.db, row.id).map(({ name }) => name)
  const id = enqueueImport(tx, repo, remote, { created_by, source: row.source, steps })
  if (row.facts !== null) setFacts(tx, id, row.facts)
  if (row.code_complete === 1) {
    setCodeComplete(tx, id)
    for (const name of ['code', 'large_files'] as const) setStep(tx, id, name, { state: 'done' })
  }
  return id
}

export const retryImport = operation({
  name: 'retry_import',
  summary:
    'Begin an import that failed or was cancelled again, into the same repository: from git while that is empty, from another forge only what is missing.',
  route: null,
  access: signedIn({ scope: 'repo:admin', writes: true }),
  input: Type.Object({
    id: Id('imp'),
    token: Type.Optional(TokenInput()),
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
      if (row.source === 'git' && hasBranches(tx.db, repo.id))
        throw conflict(
          'not_empty',
          'the repository has branches by now, so nothing is copied into it',
        )
      auditImport(tx, 'import.retried', row)
      return importRecord(hearth, requireImport(tx.db, retryFrom(tx, repo, row, remote, caller.id)))
    })
  },
})
