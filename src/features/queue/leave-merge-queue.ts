import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { isAuthor } from '#features/issues/index.ts'
import { forbidden } from '#lib/errors.ts'
import { removeEntry } from './entry-changes.ts'
import { inEntry, requireOwnRepository } from './inputs.ts'
import { entryRecord } from './queue-record.ts'
import { QueueEntry } from './schema.ts'
import { findEntry, requireWaiting } from './store.ts'

export const leaveMergeQueue = operation({
  name: 'leave_merge_queue',
  summary:
    'Take a pull request out of the merge queue. Whoever queued it, or write. It stays open; what is behind it is tested again without it.',
  keywords: ['remove from the queue', 'take out of the queue', 'dequeue', 'cancel the merge'],
  route: 'DELETE /repos/{owner}/{name}/queue/{number}',
  toolset: 'pulls',
  listed: 'default',
  access: writesRepo('read', { scope: 'pulls:merge' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: QueueEntry,
  untrusted: inEntry,

  handler: ({ hearth, repo, caller, write }, { number }) => {
    requireOwnRepository(repo)
    return write((tx) => {
      const entry = requireWaiting(tx.db, repo.id, number)
      if (!repo.can('write') && !isAuthor(hearth, caller, entry.queued_by)) {
        throw forbidden(
          'role',
          `only who queued #${number}, or someone with the role write on ${repo.full_name}, may take it out; yours is ${repo.role}`,
        )
      }
      removeEntry(tx, entry, {
        state: 'removed',
        reason: 'left',
        note: 'it was taken out',
        by: caller.id,
      })
      return entryRecord(hearth, findEntry(tx.db, entry.id) ?? entry)
    })
  },
})
