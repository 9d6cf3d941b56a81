/**
 * What happens elsewhere and concerns entries of the queue, in the transaction in which it happens.
 */
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
import { leave } from './change.ts'
import { emptied } from './drive.ts'
import { isQueued } from './limits.ts'
import {
  findWaiting,
  hasWaiting,
  listBases,
  listPlaces,
  listWaitingOfRepo,
  renameQueue,
  setEntry,
  setLookAll,
  type EntryRow,
} from './store.ts'
import { driveSoon } from './wake.ts'

const waiting = (tx: Tx, repo_id: string | null, number: number): EntryRow | null =>
  repo_id === null ? null : findWaiting(tx.db, repo_id, number)

const lookAt = (tx: Tx, entry: EntryRow): void => {
  setEntry(tx, entry.id, { look: 1 })
  driveSoon(tx, entry)
}

const onUpdated = reaction(
  'the queue follows pull requests',
  pullUpdated,
  (tx, { repo_id, data }) => {
    const entry = waiting(tx, repo_id, data.number)
    const pull = entry && findPull(tx.db, entry.repo_id, entry.number)
    if (!entry || !pull) return
    if (pull.base_ref !== entry.base_ref) {
      // Its branch has another name, with the whole queue; or else it is to go into another branch.
      if (
        readRef(tx.db, entry.repo_id, branchRef(entry.base_ref)) === null &&
        readRef(tx.db, entry.repo_id, branchRef(pull.base_ref)) !== null
      ) {
        renameQueue(tx, entry.repo_id, entry.base_ref, pull.base_ref)
        driveSoon(tx, pull)
      } else
        leave(tx, entry, {
          state: 'removed',
          reason: 'base_changed',
          note: `it is to go into ${pull.base_ref} now`,
        })
    } else if (pull.head_sha !== entry.head_sha)
      leave(tx, entry, { state: 'removed', reason: 'head_moved', note: 'it was pushed to' })
    else if (pull.status === 'draft')
      leave(tx, entry, { state: 'removed', reason: 'draft', note: 'it is a draft again' })
    else lookAt(tx, entry)
  },
)

const onClosed = reaction(
  'closed pull requests leave the queue',
  pullClosed,
  (tx, { repo_id, data }) => {
    const entry = waiting(tx, repo_id, data.number)
    if (entry)
      leave(tx, entry, {
        state: 'removed',
        reason: 'closed',
        note:
          data.superseded_by === null
            ? 'it was closed'
            : `it was closed in favour of #${data.superseded_by}`,
      })
  },
)

/**
 * By a push that brought its commits; what lands through the queue is settled before it is merged.
 */
const onMerged = reaction(
  'merged pull requests leave the queue',
  pullMerged,
  (tx, { repo_id, data }) => {
    const entry = waiting(tx, repo_id, data.number)
    if (entry)
      leave(tx, entry, {
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
    emptied(tx, { repo_id, base_ref }, 'base_deleted', `${base_ref} does not exist any more`)
  else driveSoon(tx, { repo_id, base_ref })
})

/** What must pass is not what it was when somebody asked for the merge. */
const onIssue = reaction(
  'the queue follows the commands of issues',
  issueUpdated,
  (tx, { repo_id, data }) => {
    if (repo_id === null || !data.changed.includes('checks')) return
    for (const entry of listWaitingOfRepo(tx.db, repo_id)) {
      if (findPull(tx.db, repo_id, entry.number)?.issue === data.number)
        leave(tx, entry, {
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
    const place = { repo_id, base_ref }
    if (!isQueued(tx.hearth, contextOf(tx.db, repo_id), base_ref))
      emptied(tx, place, 'queue_disabled', 'the merge queue was turned off')
    else {
      setLookAll(tx, place)
      driveSoon(tx, place)
    }
  }
})

const onArchived = reaction(
  'archived repositories have no queue',
  repoArchived,
  (tx, { repo_id }) => {
    for (const base_ref of repo_id === null ? [] : listBases(tx.db, repo_id))
      emptied(tx, { repo_id: repo_id ?? '', base_ref }, 'archived', 'the repository was archived')
  },
)

const onDeleted = reaction('deleted repositories have no queue', repoDeleted, (tx, { repo_id }) => {
  for (const base_ref of repo_id === null ? [] : listBases(tx.db, repo_id))
    emptied(tx, { repo_id: repo_id ?? '', base_ref }, 'deleted', 'the repository was deleted')
})

/**
 * After these one pull request, or everything in a repository or workspace, may not be mergeable
 * any more, or may be again.
 */
const ABOUT_ONE = new Set([
  'comment.created',
  'review.completed',
  'checks.completed',
  'session.appended',
])
const ABOUT_ALL =
  /^(repo\.(collaborator_\w+|unarchived|restored)|ruleset\.changed|commit\.status|member\.\w+)$/

const onRest = reactionToAll(
  'the queue looks again',
  (tx, { type, repo_id, workspace_id, data }: EventRow) => {
    if (ABOUT_ONE.has(type)) {
      const entry = typeof data['number'] === 'number' ? waiting(tx, repo_id, data['number']) : null
      if (entry) lookAt(tx, entry)
    } else if (ABOUT_ALL.test(type)) {
      const places =
        repo_id === null
          ? listPlaces(tx.db, workspace_id)
          : listBases(tx.db, repo_id).map((base_ref) => ({ repo_id, base_ref }))
      for (const place of places) {
        setLookAll(tx, place)
        driveSoon(tx, place)
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
  onRest,
]

/**
 * Finds what no event tells of: a right that ended, the time of day. Also what an error kept from
 * going on.
 */
export const sweepQueues = job<null>({
  kind: 'sweep_queues',
  every: '5m',
  run: ({ hearth }) =>
    writeAs(hearth, null, (tx) => {
      for (const place of listPlaces(tx.db, null)) {
        setLookAll(tx, place)
        driveSoon(tx, place)
      }
    }),
})
