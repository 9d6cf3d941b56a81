import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { appendQueueChanged } from './entry-changes.ts'
import { auditQueue, inEntry, requireOwnRepository } from './inputs.ts'
import { entryRecord } from './queue-record.ts'
import { QueueEntry } from './schema.ts'
import { listWaiting, requireWaiting, setEntry } from './store.ts'
import { advanceSoon } from './request-advance.ts'

export const moveInMergeQueue = operation({
  name: 'move_in_merge_queue',
  summary:
    'Give a pull request another position in the merge queue (Maintain). What is then built on something else is tested again.',
  keywords: [
    'jump the queue',
    'prioritize',
    'move to the front',
    'reorder the queue',
    'merge train order',
  ],
  route: 'PATCH /repos/{owner}/{name}/queue/{number}',
  toolset: 'pulls',
  access: writesRepo('maintain', { scope: 'pulls:merge' }),
  input: Type.Object({
    repo: RepoPath,
    number: RecordNumber,
    position: Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'From 1, which lands next; past the end is the end.',
    }),
    reason: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'Why; it is written to the audit log.',
      }),
    ),
  }),
  output: QueueEntry,
  annotations: { idempotent: true },
  untrusted: inEntry,

  handler: ({ hearth, repo, caller, write }, { number, position, reason = null }) => {
    requireOwnRepository(repo)
    return write((tx) => {
      const entry = requireWaiting(tx.db, repo.id, number)
      const entries = listWaiting(tx.db, entry)
      const before = entries.findIndex(({ id }) => id === entry.id) + 1
      const after = Math.min(position, entries.length)
      if (before !== after) {
        const order = entries.filter(({ id }) => id !== entry.id)
        order.splice(after - 1, 0, entry)
        order.forEach(
          ({ id, place }, index) => place !== index + 1 && setEntry(tx, id, { place: index + 1 }),
        )
        // The entries that it passed have new positions as well.
        const moved = order
          .slice(Math.min(before, after) - 1, Math.max(before, after))
          .filter(({ id }) => id !== entry.id)
        for (const { id } of [entry, ...moved]) appendQueueChanged(tx, id, { actor_id: caller.id })
        auditQueue(tx, entry, 'moved', {
          before: { number, position: before },
          after: { number, position: after },
          reason,
        })
        advanceSoon(tx, entry)
      }
      return entryRecord(hearth, requireWaiting(tx.db, repo.id, number))
    })
  },
})
