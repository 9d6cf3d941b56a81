import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { familyOf } from './family.ts'
import { lockRecords } from './lock-record.ts'
import { FileLocks, LockPath } from './schema.ts'
import { listLocks } from './store-locks.ts'

export const listFileLocks = operation({
  name: 'list_file_locks',
  summary: 'List the locked files of a repository and who locked them, the newest lock first.',
  keywords: ['git lfs locks', 'who edits this file'],
  route: 'GET /repos/{owner}/{name}/locks',
  toolset: 'code',
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, path: Type.Optional(LockPath), ...byPage() }),
  output: FileLocks,
  list: 'page',

  handler: ({ hearth, db, repo }, { path, ...paging }) => {
    const window = windowOf(paging)
    const rows = listLocks(
      db,
      familyOf(repo),
      { ...(path === undefined ? {} : { path }) },
      { limit: window.limit + 1, offset: window.offset },
    )
    return pageOf(lockRecords(hearth, rows), window)
  },
})
