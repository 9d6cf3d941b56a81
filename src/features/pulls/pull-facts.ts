/**
 * Loads what records of pull requests show and what merging them depends on, with one query for
 * each kind of data for a whole page. Records are built from these values alone. So data that is
 * not loaded here cannot be shown, and no list runs a query per row.
 */
import type { SignedIn } from '#core/caller.ts'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { readScope } from '#core/read-scope.ts'
import type { Actor } from '#core/schema.ts'
import type { Oid } from '#git'
import { actorOf, loadActors, preloadActors, preloadUsers } from '#features/accounts/index.ts'
import { currentRuns } from '#features/checks/index.ts'
import {
  assigneeIdsOfAll,
  commentCounts,
  countUnresolvedOfAll,
  labelsOfAll,
  milestonesOfAll,
} from '#features/issues/index.ts'
import {
  commitContextsOf,
  preloadContexts,
  preloadRoles,
  type CommitContext,
} from '#features/repos/index.ts'
import { listOwned } from './changes/store-owners.ts'
import { presentStats, type Stats } from './changes/store-stats.ts'
import { mergeQueues, type MergeEvaluation, type QueuePosition } from './extension-points.ts'
import { principalOf } from './permissions.ts'
import { contextFor, type PullContext } from './pull-context.ts'
import { requestedReviewers } from './reviews/reviewers.ts'
import {
  changesRequested,
  countApprovals,
  reviewStandings,
  type ReviewStanding,
} from './reviews/review-standing.ts'
import { preloadPushers } from './reviews/store-pushers.ts'
import { reviewsOfAll, type ReviewRow } from './reviews/store-reviews.ts'
import type { Pull } from './schema.ts'
import type { PullRow } from './store-pulls.ts'

/** A pull request to evaluate, in the context of its base (`contextFor`). */
export type MergeSubject = {
  readonly pull: PullRow
  readonly context: PullContext
  readonly stats: Stats | null
}

/** Everything that the record of one pull request shows beside its own row. */
export type PullFacts = {
  readonly evaluation: MergeEvaluation
  readonly comments_count: number
  readonly assignee_ids: readonly string[]
  readonly milestone: Pull['milestone']
  readonly requested_reviewers: Pull['requested_reviewers']
  readonly queue: QueuePosition | null
  /** The author, the assignees and whoever merged it, for all pull requests of the page. */
  readonly actor: (id: string) => Actor
}

/** Loads what merging one pull request depends on; `by` is null when nobody is merging. */
export function loadEvaluation(
  hearth: Hearth,
  subject: MergeSubject,
  by: SignedIn | null,
): MergeEvaluation {
  const [evaluation] = loadEvaluations(hearth, [subject], by)
  if (!evaluation) throw new TypeError('one subject has one evaluation')
  return evaluation
}

function loadEvaluations(
  hearth: Hearth,
  subjects: readonly MergeSubject[],
  by: SignedIn | null,
): MergeEvaluation[] {
  const [first] = subjects
  if (!first) return []
  return readScope(hearth.db, () => {
    const { db } = hearth
    const { repo } = first.context
    const pulls = subjects.map(({ pull }) => pull)
    const labels = labelsOfAll(db, repo.id, numbersOf(pulls))
    const runs = currentRuns(db, repo.id, pulls.filter(hasHead))
    const statuses = statusesOf(hearth, repo.id, pulls)
    const reviews = reviewsOfAll(
      db,
      pulls.map(({ id }) => id),
    )
    const owned = ownedPathsOf(db, subjects)
    const unresolved = unresolvedOf(db, repo.id, subjects)
    preloadReviewers(hearth, repo.id, pulls, [...reviews.values()].flat())
    return subjects.map(({ pull, context, stats }) => ({
      pull,
      context,
      stats,
      by,
      standings: reviewStandings(hearth, pull, context, reviews.get(pull.id) ?? [], stats),
      labels: labels.get(pull.number) ?? [],
      checks: runs.get(pull.number) ?? null,
      statuses: (pull.head_sha !== null && statuses.get(pull.head_sha)) || [],
      owned: owned.get(pull.id) ?? [],
      open_conversations: unresolved.get(pull.number) ?? 0,
    }))
  })
}

/** Loads a page of pull requests of one repository, in the order of the rows. */
export function loadPullFacts(
  hearth: Hearth,
  around: PullContext,
  pulls: readonly PullRow[],
): PullFacts[] {
  const { db } = hearth
  const repo_id = around.repo.id
  const numbers = numbersOf(pulls)
  const stats = presentStats(db, pulls)
  const evaluations = loadEvaluations(
    hearth,
    pulls.map((pull) => ({
      pull,
      context: contextFor(hearth, around, pull.base_ref, { pull }),
      stats: stats.get(pull.id) ?? null,
    })),
    null,
  )
  const comments = commentCounts(db, repo_id, numbers)
  const assignees = assigneeIdsOfAll(db, repo_id, numbers)
  const milestones = milestonesOfAll(db, repo_id, numbers)
  const reviewers = requestedReviewers(
    hearth,
    pulls.map(({ id }) => id),
  )
  const positions = mergeQueues.all(hearth).map((queue) => queue.positionsOf(db, repo_id, numbers))
  const actor = loadActors(hearth, [
    ...pulls.flatMap(({ author_id, merged_by }) => [author_id, merged_by]),
    ...[...assignees.values()].flat(),
  ])
  return evaluations.map((evaluation) => {
    const { id, number } = evaluation.pull
    return {
      evaluation,
      comments_count: comments.get(number) ?? 0,
      assignee_ids: assignees.get(number) ?? [],
      milestone: milestones.get(number) ?? null,
      requested_reviewers: reviewers(id),
      queue: positions.flatMap((queue) => queue.get(number) ?? [])[0] ?? null,
      actor,
    }
  })
}

export type ReviewSummary = 'none' | 'approved' | 'changes_requested'

/** The state of the counted reviews of pull requests of one repository, by id. */
export const reviewSummaries = (
  hearth: Hearth,
  around: PullContext,
  pulls: readonly PullRow[],
): Map<string, ReviewSummary> =>
  readScope(hearth.db, () => {
    const { db } = hearth
    const reviews = reviewsOfAll(
      db,
      pulls.map(({ id }) => id),
    )
    const reviewed = pulls.filter(({ id }) => reviews.has(id))
    preloadReviewers(hearth, around.repo.id, reviewed, [...reviews.values()].flat())
    const stats = presentStats(db, reviewed)
    return new Map(
      pulls.map((pull) => {
        const rows = reviews.get(pull.id) ?? []
        if (rows.length === 0) return [pull.id, 'none']
        const context = contextFor(hearth, around, pull.base_ref, { pull })
        const standings = reviewStandings(hearth, pull, context, rows, stats.get(pull.id) ?? null)
        return [pull.id, summaryOf(standings)]
      }),
    )
  })

const summaryOf = (standings: readonly ReviewStanding[]): ReviewSummary => {
  if (changesRequested(standings).length > 0) return 'changes_requested'
  return countApprovals(standings) > 0 ? 'approved' : 'none'
}

const numbersOf = (pulls: readonly PullRow[]): number[] => pulls.map(({ number }) => number)

const hasHead = (pull: PullRow): pull is PullRow & { head_sha: Oid } => pull.head_sha !== null

/** Check contexts by head commit. */
function statusesOf(
  hearth: Hearth,
  repo_id: string,
  pulls: readonly PullRow[],
): Map<Oid, readonly CommitContext[]> {
  const heads = [...new Set(pulls.filter(hasHead).map(({ head_sha }) => head_sha))]
  preloadContexts(hearth, repo_id, heads)
  return new Map(heads.map((sha) => [sha, commitContextsOf(hearth, repo_id, sha)]))
}

/** Owned paths of the changes whose owners must approve, by the id of the pull request. */
const ownedPathsOf = (db: Db, subjects: readonly MergeSubject[]) =>
  listOwned(
    db,
    subjects.flatMap(({ pull, context, stats }) =>
      stats !== null && context.settings.require_code_owner_review
        ? [{ pull_id: pull.id, base_sha: stats.base_sha, head_sha: stats.head_sha }]
        : [],
    ),
  )

/** Unresolved threads, by number, of the pull requests whose base requires their resolution. */
function unresolvedOf(
  db: Db,
  repo_id: string,
  subjects: readonly MergeSubject[],
): Map<number, number> {
  const numbers = subjects.flatMap(({ pull, context }) =>
    context.settings.require_conversation_resolution ? [pull.number] : [],
  )
  return numbers.length === 0 ? new Map() : countUnresolvedOfAll(db, repo_id, numbers)
}

/**
 * Preloads the roles of reviewers and the pushers, because whether an approval counts depends on
 * them. For an agent it is the role of its person.
 */
function preloadReviewers(
  hearth: Hearth,
  repo_id: string,
  pulls: readonly PullRow[],
  reviews: readonly ReviewRow[],
): void {
  if (reviews.length === 0) return
  const { db } = hearth
  const reviewers = [...new Set(reviews.map(({ author_id }) => author_id))]
  preloadActors(db, [...new Set([...reviewers, ...pulls.map(({ author_id }) => author_id)])])
  const people = [...new Set(reviewers.map((id) => principalOf(actorOf(hearth, id))))]
  preloadUsers(db, people)
  preloadRoles(db, repo_id, people)
  preloadPushers(db, [...new Set(reviews.map(({ pull_id }) => pull_id))])
}
