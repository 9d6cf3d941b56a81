import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { canManageImport } from './find-import.ts'
import { importRecord } from './import-record.ts'
import { Import } from './schema.ts'
import { findLatestImport } from './store.ts'

export const getRepoImport = operation({
  name: 'get_repo_import',
  summary:
    'Get the latest import into a repository, for its page; null when there is none, and for those whose business it is not.',
  route: null,
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Nullable(Import),

  handler: ({ hearth, db, caller, repo }) => {
    const row = findLatestImport(db, repo.id)
    return row && caller.kind !== 'anonymous' && canManageImport(hearth, caller, row)
      ? importRecord(hearth, row)
      : null
  },
})
