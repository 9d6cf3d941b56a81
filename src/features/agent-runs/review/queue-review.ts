/**
 * When a pull request is reviewed by a model: as soon as it is ready, and after each push from then
 * on, where the setting `agent_review` is on.
 */
import { reaction } from '#core/events.ts'
import type { Tx } from '#core/write.ts'
import { actorOf, userCaller } from '#features/accounts/index.ts'
import { builtInCaller, REVIEWER, startBuiltInAgent } from '#features/agents/index.ts'
import { findRoute } from '#features/models/index.ts'
import {
  contextOf,
  findPull,
  findReview,
  personCanWrite,
  pullOpened,
  pullReady,
  pullUpdated,
  reviewCompleted,
  type PullRow,
} from '#features/pulls/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { reviewByAgent } from './review-by-agent.ts'
import { countReviewsSince, endAgentReview, findAgentReview, putAgentReview } from './store.ts'

/** So that pushes in a loop do not spend the budget of the workspace. */
const MAX_HEADS_PER_PULL = 30
/** Of people without Write, in a day and repository. */
const MAX_FROM_OUTSIDE_PER_DAY = 20

/** The running reviewer of a pull request. It acts for the author, and never with more rights. */
function reviewerOf(tx: Tx, pull: PullRow): string | null {
  const { hearth } = tx
  const present = findAgentReview(tx.db, pull.id)?.agent_id
  if (present !== undefined && builtInCaller(hearth, present) !== null) return present
  const author = actorOf(hearth, pull.author_id)
  const owner = userCaller(tx.db, author.on_behalf_of?.id ?? author.id)
  const route = findRoute(tx.db, contextOf(tx.db, pull.repo_id).repo.workspace_id, 'review')
  if (owner === null || owner.suspended || route === null) return null
  return startBuiltInAgent(tx, {
    repo_id: pull.repo_id,
    owner,
    pull_number: pull.number,
    model: route.model,
    max_usd: null,
    name: REVIEWER,
  })
}

function mayBeReviewed(tx: Tx, pull: PullRow): boolean {
  const { settings, repo, full_name } = contextOf(tx.db, pull.repo_id)
  if (!settings.agent_review || findRoute(tx.db, repo.workspace_id, 'review') === null) return false
  const before = findAgentReview(tx.db, pull.id)
  if (before?.head_sha === pull.head_sha || (before?.taken ?? 0) >= MAX_HEADS_PER_PULL) return false
  const author = actorOf(tx.hearth, pull.author_id)
  if (personCanWrite(tx.hearth, full_name, author.on_behalf_of?.id ?? author.id)) return true
  const since = timestamp(tx.now_ms - DAY)
  return countReviewsSince(tx.db, pull.repo_id, since) < MAX_FROM_OUTSIDE_PER_DAY
}

function queueReview(tx: Tx, repo_id: string | null, number: number): void {
  const pull = repo_id === null ? null : findPull(tx.db, repo_id, number)
  if (pull?.status !== 'open' || pull.head_sha === null || !mayBeReviewed(tx, pull)) return
  const agent_id = reviewerOf(tx, pull)
  if (agent_id === null) return
  putAgentReview(tx, { pull_id: pull.id, agent_id, head_sha: pull.head_sha })
  tx.enqueue(reviewByAgent, { pull_id: pull.id }, { key: pull.id })
}

export const reviewReactions = [
  reaction('a new pull request is reviewed by a model', pullOpened, (tx, { repo_id, data }) =>
    queueReview(tx, repo_id, data.number),
  ),
  reaction('what turns ready is reviewed by a model', pullReady, (tx, { repo_id, data }) =>
    queueReview(tx, repo_id, data.number),
  ),
  reaction('each push is reviewed by a model', pullUpdated, (tx, { repo_id, data }) => {
    if (data.changed.includes('head')) queueReview(tx, repo_id, data.number)
  }),
]

/** In the transaction of the review, so that no restart writes it again. */
export const endWithReview = reaction(
  'a review by a model is written once',
  reviewCompleted,
  (tx, { repo_id, actor_id, data: { number, review: id } }) => {
    const pull = repo_id === null ? null : findPull(tx.db, repo_id, number)
    const row = pull && findAgentReview(tx.db, pull.id)
    const review = pull && findReview(tx.db, pull.id, id)
    if (!row || !review || row.agent_id !== actor_id) return
    endAgentReview(tx, { pull_id: row.pull_id, head_sha: review.commit_sha }, 'done')
  },
)
