/** Reactions to events outside the queue that concern entries. */
import { reaction, reactionToAll, type EventRow } from '#core/events.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import { issueUpdated } from '#features/issues/index.ts'
import { contextOf, findPull, pullClosed, pullMerged, pullUpdated } from '#features/pulls/index.ts'
import {
  branchOf,
  branchRef,
  gitPush,
  readRef,
  repoArchived,
  repoDeleted,
  repoUpdated,
} from '#features/repos/index.ts'
import { removeEntry } from './entry-changes.ts'
import { removeAll } from './advance-queue.ts'
import { isQueued } from './queue-settings.ts'
import {
  findWaiting,
  hasWaiting,
  listBases,
  listQueues,
  listWaitingOfRepo,
  renameQueue,
  setEntry,
  markAllForCheck,
  type EntryRow,
} from './store.ts'
import { advanceSoon } from './request-advance.ts'

const waitingEntry = (tx: Tx, repo_id: string | null, number: number): EntryRow | null =>
  repo_id === null ? null : findWaiting(tx.db, repo_id, number)

const markForCheck = (tx: Tx, entry: EntryRow): void => {
  setEntry(tx, entry.id, { look: 1 })
  advanceSoon(tx, entry)
}

const onUpdated = reaction(
  'the queue follows pull requests',
  pullUpdated,
  (tx, { repo_id, data }) => {
    const entry = waitingEntry(tx, repo_id, data.number)
    const pull = entry && findPull(tx.db, entry.repo_id, entry.number)
    if (!entry || !pull) return
    if (pull.base_ref !== entry.base_ref) {
      // The base was renamed with its queue, or the pull request has another base now.
      if (
        readRef(tx.db, entry.repo_id, branchRef(entry.base_ref)) === null &&
        readRef(tx.db, entry.repo_id, branchRef(pull.base_ref)) !== null
      ) {
        renameQueue(tx, entry.repo_id, entry.base_ref, pull.base_ref)
        advanceSoon(tx, pull)
      } else
        removeEntry(tx, entry, {
          state: 'removed',
          reason: 'base_changed',
          note: `it is to go into ${pull.base_ref} now`,
        })
    } else if (pull.head_sha !== entry.head_sha)
      removeEntry(tx, entry, { state: 'removed', reason: 'head_moved', note: 'it was pushed to' })
    else if (pull.status === 'draft')
      removeEntry(tx, entry, { state: 'removed', reason: 'draft', note: 'it is a draft again' })
    else markForCheck(tx, entry)
  },
)

const onClosed = reaction(
  'closed pull requests leave the queue',
  pullClosed,
  (tx, { repo_id, data }) => {
    const entry = waitingEntry(tx, repo_id, data.number)
    if (entry)
      removeEntry(tx, entry, {
        state: 'removed',
        reason: 'closed',
        note:
          data.superseded_by === null
            ? 'it was closed'
            : `it was closed in favour of #${data.superseded_by}`,
      })
  },
)

/** Merged by a push. Entries that land through the queue are settled before. */
const onMerged = reaction(
  'merged pull requests leave the queue',
  pullMerged,
  (tx, { repo_id, data }) => {
    const entry = waitingEntry(tx, repo_id, data.number)
    if (entry)
      removeEntry(tx, entry, {
        state: 'removed',
        reason: 'merged',
        note: `${entry.base_ref} has its commits already`,
      })
  },
)

const onPush = reaction('the queue follows its base', gitPush, (tx, { repo_id, data }) => {
  const base_ref = branchOf(data.ref)
  if (repo_id === null || base_ref === null || !hasWaiting(tx.db, { repo_id, base_ref })) return
  if (data.after === null)
    removeAll(tx, { repo_id, base_ref }, 'base_deleted', `${base_ref} does not exist any more`)
  else advanceSoon(tx, { repo_id, base_ref })
})

/** The commands that must pass changed after the merge was requested. */
const onIssue = reaction(
  'the queue follows the commands of issues',
  issueUpdated,
  (tx, { repo_id, data }) => {
    if (repo_id === null || !data.changed.includes('checks')) return
    for (const entry of listWaitingOfRepo(tx.db, repo_id)) {
      if (findPull(tx.db, repo_id, entry.number)?.issue === data.number)
        removeEntry(tx, entry, {
          state: 'removed',
          reason: 'checks_changed',
          note: `the commands of #${data.number} were changed`,
        })
    }
  },
)

const onSettings = reaction('the queue follows the settings', repoUpdated, (tx, { repo_id }) => {
  if (repo_id === null) return
  for (const base_ref of listBases(tx.db, repo_id)) {
    const queue = { repo_id, base_ref }
    if (!isQueued(tx.hearth, contextOf(tx.db, repo_id), base_ref))
      removeAll(tx, queue, 'queue_disabled', 'the merge queue was turned off')
    else {
      markAllForCheck(tx, queue)
      advanceSoon(tx, queue)
    }
  }
})

const onArchived = reaction(
  'archived repositories have no queue',
  repoArchived,
  (tx, { repo_id }) => {
    for (const base_ref of repo_id === null ? [] : listBases(tx.db, repo_id))
      removeAll(tx, { repo_id: repo_id ?? '', base_ref }, 'archived', 'the repository was archived')
  },
)

const onDeleted = reaction('deleted repositories have no queue', repoDeleted, (tx, { repo_id }) => {
  for (const base_ref of repo_id === null ? [] : listBases(tx.db, repo_id))
    removeAll(tx, { repo_id: repo_id ?? '', base_ref }, 'deleted', 'the repository was deleted')
})

/** Events after which one pull request may be mergeable, or not mergeable any more. */
const PULL_EVENTS = new Set([
  'comment.created',
  'review.completed',
  'checks.completed',
  'session.appended',
])
const REPO_EVENTS =
  /^(repo\.(collaborator_\w+|unarchived|restored)|ruleset\.changed|commit\.status|security\.(analysis_completed|dependencies_reviewed)|member\.\w+)$/

const onOtherEvents = reactionToAll(
  'the queue looks again',
  (tx, { type, repo_id, workspace_id, data }: EventRow) => {
    if (PULL_EVENTS.has(type)) {
      const entry = typeof data.number === 'number' ? waitingEntry(tx, repo_id, data.number) : null
      if (entry) markForCheck(tx, entry)
    } else if (REPO_EVENTS.test(type)) {
      const places =
        repo_id === null
          ? listQueues(tx.db, workspace_id)
          : listBases(tx.db, repo_id).map((base_ref) => ({ repo_id, base_ref }))
      for (const queue of places) {
        markAllForCheck(tx, queue)
        advanceSoon(tx, queue)
      }
    }
  },
)

export const reactions = [
  onUpdated,
  onClosed,
  onMerged,
  onPush,
  onIssue,
  onSettings,
  onArchived,
  onDeleted,
  onOtherEvents,
]

/**
 * Checks entries for changes without an event (expired rights, the time of day), and continues
 * after errors.
 */
export const sweepQueues = job<null>({
  kind: 'sweep_queues',
  every: '5m',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const queue of listQueues(tx.db, null)) {
        markAllForCheck(tx, queue)
        advanceSoon(tx, queue)
      }
    }),
})
