import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Id, RepoPath, Type } from '#core/schema.ts'
import { auditRepo, requireLive } from '#features/repos/index.ts'
import { forbidden } from '#lib/errors.ts'
import { fileUnlocked } from './events.ts'
import { familyOf } from './family.ts'
import { lockRecord } from './lock-record.ts'
import { FileLock } from './schema.ts'
import { removeLock, requireLock } from './store-locks.ts'

export const unlockFile = operation({
  name: 'unlock_file',
  summary:
    'Remove a lock of yours by its id (Write). With `force` also that of somebody else (Maintain). The answer is the lock that was.',
  keywords: ['git lfs unlock', 'release a lock', 'break a lock'],
  route: 'DELETE /repos/{owner}/{name}/locks/{id}',
  toolset: 'code',
  access: writesRepo('write', { scope: 'code:write' }),
  annotations: { destructive: true },
  input: Type.Object({
    repo: RepoPath,
    id: Id('lck'),
    force: Type.Optional(
      Type.Boolean({ description: 'Whether the lock of somebody else is removed too.' }),
    ),
  }),
  output: FileLock,
  status: 200,

  handler: ({ hearth, repo, caller, write }, { id, force = false }) =>
    write((tx) => {
      const live = requireLive(tx.db, familyOf(repo))
      const row = requireLock(tx.db, live.id, id)
      const lock = lockRecord(hearth, row)
      const isOwn = row.owner_id === caller.id
      if (!isOwn) {
        if (!force)
          throw forbidden(
            'role',
            `${lock.locked_by.username} has locked ${row.path}: ask them, or remove the lock with force`,
          )
        repo.require('maintain')
        auditRepo(tx, 'lock.forced', live, {
          before: { path: row.path, locked_by: lock.locked_by.username },
        })
      }
      removeLock(tx, row.id)
      const subject = { workspace_id: live.workspace_id, repo_id: live.id }
      tx.append(fileUnlocked, subject, { lock: row.id, path: row.path })
      return lock
    }),
})
