import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RepoPath, Type } from '#core/schema.ts'
import { notBlank } from '#features/issues/index.ts'
import { auditQueue, BaseInput, inQueue, requireQueueKey } from './inputs.ts'
import { queueRecord } from './queue-record.ts'
import { MergeQueue } from './schema.ts'
import { findPause, setPause } from './store.ts'
import { advanceSoon } from './request-advance.ts'

export const pauseMergeQueue = operation({
  name: 'pause_merge_queue',
  summary:
    'Have the merge queue land nothing until it is resumed (Maintain). What waits is tested all the same. A paused queue gets the new reason.',
  keywords: ['stop merging', 'freeze merges', 'incident', 'code freeze', 'hold the queue'],
  route: 'POST /repos/{owner}/{name}/queue/pause',
  toolset: 'pulls',
  access: writesRepo('maintain', { scope: 'pulls:merge' }),
  input: Type.Object({
    repo: RepoPath,
    reason: Type.String({ minLength: 1, maxLength: 1_000, description: 'Why; everybody sees it.' }),
    base: BaseInput,
  }),
  output: MergeQueue,
  annotations: { idempotent: true },
  untrusted: inQueue,

  handler: ({ hearth, db, repo, caller, write }, { reason, base }) => {
    const queue = requireQueueKey(db, repo, base)
    const why = notBlank('reason', reason).trim()
    return write((tx) => {
      const before = findPause(tx.db, queue)
      if (before?.reason !== why) {
        setPause(tx, queue, caller.id, why)
        auditQueue(tx, queue, 'paused', {
          before: before && { reason: before.reason },
          after: { reason: why },
        })
        advanceSoon(tx, queue)
      }
      return queueRecord(hearth, queue)
    })
  },
})
