/** Stores a review with its comments on lines: all of it, or nothing. */
import type { RepoGrant } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Context } from '#core/operation.ts'
import type { Oid } from '#git'
import { actorOf } from '#features/accounts/index.ts'
import {
  commentCreated,
  findRecord,
  insertComment,
  isAuthor,
  manyLines,
  notBlank,
  refuseSecrets,
} from '#features/issues/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { typeId } from '#lib/typeid.ts'
import { contextOf, subjectOf } from './context.ts'
import { reviewCompleted } from './events.ts'
import {
  commentableLines,
  followLineComments,
  requireInChange,
  type Line,
} from './line-comments.ts'
import { reviewRecordOf } from './review-record.ts'
import { answerRequests } from './reviewers.ts'
import { principalOf, principalOfCaller } from './rights.ts'
import type { Review, Verdict } from './schema.ts'
import { commitOfPull } from './since.ts'
import { computeStats, freshStats } from './stats.ts'
import { requireActive, requirePull, type PullRow } from './store.ts'
import { removeDrafts, type DraftRow } from './store-drafts.ts'
import { insertReview } from './store-reviews.ts'
import { findStats } from './store-stats.ts'

/**
 * A comment that is not stored yet; `commit_sha` is that of a line that was looked at before, else
 * of the review.
 */
export type Written = Line & { readonly body: string; readonly commit_sha: Oid | null }

export type Reviewing = {
  number: number
  verdict: Verdict
  body: string
  commit: string | undefined
  lines: readonly Written[]
  drafts: readonly DraftRow[]
}

export async function writeReview(
  { hearth, db, repo, caller, write, now_ms }: Context & { caller: SignedIn; repo: RepoGrant },
  { number, verdict, body, commit, lines: given, drafts }: Reviewing,
): Promise<Review> {
  const pull = requirePull(db, repo.id, number)
  requireMayReview(hearth, caller, pull, verdict)
  if (findRecord(db, repo.id, number)?.locked === 1) {
    if (!repo.can('write'))
      throw forbidden(
        'locked',
        `the conversation of #${number} is locked; only people with write may add to it`,
      )
  }
  requireActive(pull)
  if (verdict !== 'approve' && body.trim() === '')
    throw invalid('body', `a review with the verdict ${verdict} needs a body`)
  const text = body.trim() === '' ? '' : manyLines('body', body)
  refuseSecrets(db, repo.id, 'body', text)
  given.forEach((comment, at) =>
    refuseSecrets(
      db,
      repo.id,
      `comments[${at}].body`,
      notBlank(`comments[${at}].body`, comment.body),
    ),
  )
  const { head_sha, base_sha } = pull
  if (head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')

  const reviewed =
    commit === undefined ? head_sha : await commitOfPull(hearth, repo.store, pull, commit, 'commit')
  const stats =
    reviewed === head_sha
      ? await freshStats(hearth, pull)
      : (await computeStats(hearth, repo, base_sha, reviewed)).stats
  if (!stats) throw conflict('not_ready', 'nothing has been pushed yet')
  if (given.length > 0) {
    const commentable = await commentableLines(
      hearth.git,
      repo.store,
      stats.merge_base_sha,
      reviewed,
      given.map(({ path }) => path),
    )
    given.forEach((line, at) => requireInChange(commentable, line, `comments[${at}].`))
  }

  return write((tx) => {
    const now = requirePull(tx.db, repo.id, number)
    requireActive(now)
    const context = contextOf(tx.db, repo.id)
    const subject = subjectOf(context)
    const id = typeId('rvw', now_ms)
    insertReview(tx, {
      id,
      pull_id: pull.id,
      author_id: caller.id,
      verdict,
      body: text,
      commit_sha: reviewed,
      diff_id: stats.diff_id,
      could_write: repo.can('write') ? 1 : 0,
    })
    tx.append(commentCreated, subject, {
      number,
      comment: null,
      review: id,
      verdict,
      path: null,
      line: null,
    })
    for (const { path, line, start_line, side, body, commit_sha } of [...given, ...drafts]) {
      const comment = insertComment(tx, {
        path,
        line,
        start_line,
        side,
        body,
        repo_id: repo.id,
        number,
        author_id: caller.id,
        commit_sha: commit_sha ?? reviewed,
        review_id: id,
      })
      tx.append(commentCreated, subject, { number, comment, review: id, verdict: null, path, line })
    }
    if (drafts.length > 0) {
      removeDrafts(tx, pull.id, caller.id)
      // Written line by line, some may be on lines that a push has changed since.
      tx.enqueue(followLineComments, { pull_id: pull.id }, { key: pull.id })
    }
    answerRequests(tx, now, caller)
    if (caller.kind === 'agent')
      tx.append(reviewCompleted, subject, { number, review: id, verdict })
    return reviewRecordOf(hearth, now, context, findStats(tx.db, now), id)
  })
}

/**
 * One's own is what one wrote, what one's agent wrote, and, for an agent, what it wrote itself. Two
 * agents of one person may talk about each other's work, but not approve it: that would be the
 * person approving their own.
 */
function requireMayReview(hearth: Hearth, caller: SignedIn, pull: PullRow, verdict: Verdict): void {
  const author = actorOf(hearth, pull.author_id)
  const own =
    caller.id === author.id || (caller.kind === 'user' && isAuthor(hearth, caller, author.id))
  if (own)
    throw forbidden('role', `#${pull.number} is your own pull request; someone else must review it`)
  if (
    verdict === 'approve' &&
    author.kind === 'agent' &&
    principalOfCaller(caller) === principalOf(author)
  ) {
    throw forbidden(
      'role',
      `#${pull.number} was made by an agent of the same person; someone else must approve it`,
    )
  }
}
