import { writesRepo } from '#core/access.ts'
import { typeId } from '#core/ids.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { requireLive } from '#features/repos/index.ts'
import { conflict, invalid } from '#lib/errors.ts'
import { fileLocked } from './events.ts'
import { familyOf } from './family.ts'
import { lockRecord } from './lock-record.ts'
import { FileLock, LockPath } from './schema.ts'
import { countLocks, findLockOfPath, insertLock } from './store-locks.ts'

const MAX_LOCKS = 10_000

/** Throws 422 for a text that no file of a tree can have as its path. */
function requireTreePath(path: string): void {
  const isPath =
    !path.includes('\0') &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
  if (!isPath) throw invalid('path', 'path must lead to a file, such as art/cover.psd')
}

export const lockFile = operation({
  name: 'lock_file',
  summary:
    'Lock a file that cannot be merged, so that others see that you edit it and git-lfs does not push their changes to it (Write). 409 when somebody has locked it already.',
  keywords: ['git lfs lock', 'exclusive edit', 'binary file in use', 'check out a file'],
  route: 'POST /repos/{owner}/{name}/locks',
  toolset: 'code',
  access: writesRepo('write', { scope: 'code:write' }),
  input: Type.Object({ repo: RepoPath, path: LockPath }),
  output: FileLock,
  status: 201,

  handler: ({ hearth, repo, caller, write }, { path }) => {
    requireTreePath(path)
    return write((tx) => {
      const live = requireLive(tx.db, familyOf(repo))
      const found = findLockOfPath(tx.db, live.id, path)
      if (found) {
        const lock = lockRecord(hearth, found)
        throw conflict('already_exists', `${lock.locked_by.username} has locked ${path} already`, {
          lock,
        })
      }
      if (countLocks(tx.db, live.id) >= MAX_LOCKS)
        throw conflict('limit_reached', `a repository has at most ${MAX_LOCKS} locks`)
      const row = {
        id: typeId('lck', tx.now_ms),
        repo_id: live.id,
        path,
        owner_id: caller.id,
        locked_at: tx.now,
      }
      insertLock(tx, row)
      const subject = { workspace_id: live.workspace_id, repo_id: live.id }
      tx.append(fileLocked, subject, { lock: row.id, path })
      return lockRecord(hearth, row)
    })
  },
})
