import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RepoPath, Type } from '#core/schema.ts'
import { mayManage } from './find.ts'
import { importRecord } from './record.ts'
import { Import } from './schema.ts'
import { findLatest } from './store.ts'

export const getRepoImport = operation({
  name: 'get_repo_import',
  summary:
    'Get the latest import into a repository, for its page; null when there is none, and for those whose business it is not.',
  route: null,
  access: readsRepo({ scope: 'repo:read' }),
  input: Type.Object({ repo: RepoPath }),
  output: Nullable(Import),

  handler: ({ hearth, db, caller, repo }) => {
    const row = findLatest(db, repo.id)
    return row && caller.kind !== 'anonymous' && mayManage(hearth, caller, row)
      ? importRecord(hearth, row)
      : null
  },
})
