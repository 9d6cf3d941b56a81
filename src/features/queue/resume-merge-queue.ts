import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { auditQueue, BaseInput, inQueue, requireQueueKey } from './inputs.ts'
import { queueRecord } from './queue-record.ts'
import { MergeQueue } from './schema.ts'
import { findPause, removePause } from './store.ts'
import { advanceSoon } from './request-advance.ts'

export const resumeMergeQueue = operation({
  name: 'resume_merge_queue',
  summary:
    'Have a paused merge queue land again (Maintain). One that is not paused is answered as it is.',
  keywords: ['start merging again', 'unfreeze merges', 'continue the queue'],
  route: 'POST /repos/{owner}/{name}/queue/resume',
  toolset: 'pulls',
  access: writesRepo('maintain', { scope: 'pulls:merge' }),
  input: Type.Object({ repo: RepoPath, base: BaseInput }),
  output: MergeQueue,
  annotations: { idempotent: true },
  untrusted: inQueue,

  handler: ({ hearth, db, repo, write }, { base }) => {
    const queue = requireQueueKey(db, repo, base)
    return write((tx) => {
      const before = findPause(tx.db, queue)
      if (before) {
        removePause(tx, queue)
        auditQueue(tx, queue, 'resumed', { before: { reason: before.reason } })
        advanceSoon(tx, queue)
      }
      return queueRecord(hearth, queue)
    })
  },
})
