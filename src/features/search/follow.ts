/** What changes the index: it is marked in the transaction of the change; a job takes it in. */
import { follower, reaction, reactionToAll, type Follower, type Reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { commentEdited } from '#features/issues/index.ts'
import {
  branchRef,
  gitPush,
  repoById,
  repoCreated,
  repoDefaultBranchChanged,
  repoPurged,
  repoRenamed,
  repoRestored,
  repoUpdated,
} from '#features/repos/index.ts'
import { keepIndex } from './keep-index.ts'
import { putMark, type MarkKind } from './store.ts'

function mark(tx: Tx, kind: MarkKind, repo_id: string | null, number = 0): void {
  if (repo_id === null) return
  putMark(tx, kind, repo_id, number)
  tx.enqueue(keepIndex, null, { key: 'all' })
}

/**
 * Events that come with another text of a record. What is open, labelled or assigned is asked of
 * the forge itself.
 */
const OF_RECORDS: ReadonlySet<string> = new Set([
  'issue.opened',
  'issue.updated',
  'pull.opened',
  'pull.updated',
  'comment.created',
  'review.completed',
])

const followRecords = reactionToAll('the search marks records', (tx, { type, repo_id, data }) => {
  const { number } = data
  if (OF_RECORDS.has(type) && typeof number === 'number') mark(tx, 'record', repo_id, number)
})

const followPushes = reaction(
  'the search marks pushes to default branches',
  gitPush,
  (tx, { repo_id, data }) => {
    if (repo_id === null || data.ref !== branchRef(data.default_branch)) return
    if (repoById(tx.db, repo_id)?.parent_id === null) mark(tx, 'code', repo_id)
  },
)

const followDefaultBranch = reaction(
  'the search follows the default branch',
  repoDefaultBranchChanged,
  (tx, { repo_id }) => mark(tx, 'code', repo_id),
)

const ofNames = [repoCreated, repoUpdated, repoRenamed, repoRestored] as const

/**
 * Who may see a repository, and whether it is archived or deleted, is asked of the forge with every
 * search; only its end matters here.
 */
const followEnds = reaction(
  'the search lets go of purged repositories',
  repoPurged,
  (tx, { repo_id }) => mark(tx, 'code', repo_id),
)

export const reactions: readonly Reaction[] = [
  followRecords,
  followPushes,
  followDefaultBranch,
  followEnds,
  ...ofNames.map((type) =>
    reaction(
      `the search marks names of repositories (${type.type})`,
      type as typeof repoRestored,
      (tx, { repo_id }) => mark(tx, 'repo', repo_id),
    ),
  ),
]

export const followers: readonly Follower[] = [
  follower('the search reads edited comments', commentEdited, (tx, { repo_id, number }) =>
    mark(tx, 'record', repo_id, number),
  ),
] as Follower[]
