/**
 * Marks what a change made outdated in the index, in the transaction of the change. A job then
 * updates the index.
 */
import { handler, reaction, reactionToAll, type Handler, type Reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { commentEdited, recordsArrived } from '#features/issues/index.ts'
import {
  branchRef,
  gitPush,
  repoById,
  repoCreated,
  repoDefaultBranchChanged,
  repoPurged,
  repoRenamed,
  repoArrived,
  repoRestored,
  repoUpdated,
} from '#features/repos/index.ts'
import { updateIndex } from './update-index.ts'
import { putMark, type MarkKind } from './store-marks.ts'

function mark(tx: Tx, kind: MarkKind, repo_id: string | null, number = 0): void {
  if (repo_id === null) return
  putMark(tx, kind, repo_id, number)
  tx.enqueue(updateIndex, null, { key: 'all' })
}

/**
 * Events that change the text of a record. Its state, labels and assignees are not in the index.
 */
const RECORD_TEXT_EVENTS: ReadonlySet<string> = new Set([
  'issue.opened',
  'issue.updated',
  'pull.opened',
  'pull.updated',
  'comment.created',
  'review.completed',
])

const markRecords = reactionToAll('the search marks records', (tx, { type, repo_id, data }) => {
  const { number } = data
  if (RECORD_TEXT_EVENTS.has(type) && typeof number === 'number')
    mark(tx, 'record', repo_id, number)
})

const markPushes = reaction(
  'the search marks pushes to default branches',
  gitPush,
  (tx, { repo_id, data }) => {
    if (repo_id === null || data.ref !== branchRef(data.default_branch)) return
    if (repoById(tx.db, repo_id)?.parent_id === null) mark(tx, 'code', repo_id)
  },
)

const markDefaultBranchChanges = reaction(
  'the search follows the default branch',
  repoDefaultBranchChanged,
  (tx, { repo_id }) => mark(tx, 'code', repo_id),
)

const markWikis = reactionToAll('the search marks changes of wikis', (tx, { type, repo_id }) => {
  if (type === 'wiki.updated') mark(tx, 'code', repo_id)
})

const REPO_NAME_EVENTS = [repoCreated, repoUpdated, repoRenamed, repoRestored] as const

/**
 * Visibility, archiving and deletion are read from the forge's database by every search. Only
 * purging changes the index.
 */
const markPurgedRepos = reaction(
  'the search lets go of purged repositories',
  repoPurged,
  (tx, { repo_id }) => mark(tx, 'code', repo_id),
)

export const reactions: readonly Reaction[] = [
  markRecords,
  markPushes,
  markDefaultBranchChanges,
  markPurgedRepos,
  markWikis,
  ...REPO_NAME_EVENTS.map((type) =>
    reaction(
      `the search marks names of repositories (${type.type})`,
      type as typeof repoRestored,
      (tx, { repo_id }) => mark(tx, 'repo', repo_id),
    ),
  ),
]

export const followers: readonly Handler[] = [
  handler('the search reads edited comments', commentEdited, (tx, { repo_id, number }) =>
    mark(tx, 'record', repo_id, number),
  ),
  handler('the search reads repositories of another forge', repoArrived, (tx, { repo_id }) => {
    mark(tx, 'repo', repo_id)
    mark(tx, 'code', repo_id)
  }),
  handler(
    'the search reads issues of another forge',
    recordsArrived,
    (tx, { repo_id, numbers }) => {
      for (const number of numbers) mark(tx, 'record', repo_id, number)
    },
  ),
] as Handler[]
