/** Stores a review with its line comments in one transaction. */
import type { RepoGrant } from '#core/access.ts'
import type { Db } from '#core/db.ts'
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
import { typeId } from '#core/ids.ts'
import { contextOf, subjectOf } from '../pull-context.ts'
import { reviewCompleted } from '../events.ts'
import {
  commentableLines,
  followLineComments,
  requireInChange,
  type Line,
} from './line-comments.ts'
import { reviewRecordOf } from './review-record.ts'
import { endAnsweredRequests } from './reviewers.ts'
import { principalOf, principalOfCaller } from '../permissions.ts'
import type { Review, Verdict } from '../schema.ts'
import { resolvePullCommit } from '../changes/changes-since.ts'
import { computeStats, freshStats } from '../changes/stats.ts'
import { requireActive, requirePull, type PullRow } from '../store-pulls.ts'
import { removeDrafts, type DraftRow } from './store-drafts.ts'
import { insertReview } from './store-reviews.ts'
import { findStats, type Stats } from '../changes/store-stats.ts'

/**
 * A comment to store. `commit_sha` is the commit of a line that was checked before, else the
 * reviewed commit.
 */
export type ReviewComment = Line & { readonly body: string; readonly commit_sha: Oid | null }

export type ReviewInput = {
  number: number
  verdict: Verdict
  body: string
  commit: string | undefined
  lines: readonly ReviewComment[]
  drafts: readonly DraftRow[]
}

export async function writeReview(
  { hearth, db, repo, caller, write, now_ms }: Context & { caller: SignedIn; repo: RepoGrant },
  { number, verdict, body, commit, lines: given, drafts }: ReviewInput,
): Promise<Review> {
  const pull = requirePull(db, repo.id, number)
  requireMayReview(hearth, caller, pull, verdict)
  requireUnlocked(db, repo, number)
  requireActive(pull)
  const text = readTexts(db, repo, { verdict, body, lines: given, drafts })
  const { reviewed, stats } = await readReviewedCommit(hearth, repo, pull, commit)
  await requireLinesInChange(hearth, repo, stats.merge_base_sha, reviewed, given)

  return write((tx) => {
    const now = requirePull(tx.db, repo.id, number)
    requireActive(now)
    const context = contextOf(tx.db, repo.id)
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
    const subject = subjectOf(context)
    tx.append(commentCreated, subject, {
      number,
      comment: null,
      review: id,
      verdict,
      path: null,
      line: null,
    })
    for (const one of [...given, ...drafts]) {
      const { path, line, start_line, side, body, commit_sha } = one
      const comment = insertComment(tx, {
        ...{ path, line, start_line, side, body, number },
        repo_id: repo.id,
        author_id: caller.id,
        commit_sha: commit_sha ?? reviewed,
        review_id: id,
      })
      tx.append(commentCreated, subject, { number, comment, review: id, verdict: null, path, line })
    }
    if (drafts.length > 0) {
      removeDrafts(tx, pull.id, caller.id)
      // Draft comments may be on lines that a later push changed.
      tx.enqueue(followLineComments, { pull_id: pull.id }, { key: pull.id })
    }
    endAnsweredRequests(tx, now, caller)
    if (caller.kind === 'agent')
      tx.append(reviewCompleted, subject, { number, review: id, verdict })
    return reviewRecordOf(hearth, now, context, findStats(tx.db, now), id)
  })
}

/** Throws 403 when the conversation is locked and the caller lacks write. */
function requireUnlocked(db: Db, repo: RepoGrant, number: number): void {
  if (findRecord(db, repo.id, number)?.locked === 1 && !repo.can('write'))
    throw forbidden(
      'locked',
      `the conversation of #${number} is locked; only people with write may add to it`,
    )
}

/** Validates the texts of a review, and returns its body. */
function readTexts(
  db: Db,
  repo: RepoGrant,
  { verdict, body, lines, drafts }: Pick<ReviewInput, 'verdict' | 'body' | 'lines' | 'drafts'>,
): string {
  const hasComments = lines.length + drafts.length > 0
  const isSaid = body.trim() !== '' || (verdict === 'comment' && hasComments)
  if (verdict !== 'approve' && !isSaid)
    throw invalid('body', `a review with the verdict ${verdict} needs a body`)
  const text = body.trim() === '' ? '' : manyLines('body', body)
  refuseSecrets(db, repo.id, 'body', text)
  lines.forEach((comment, at) => {
    const field = `comments[${at}].body`
    refuseSecrets(db, repo.id, field, notBlank(field, comment.body))
  })
  return text
}

/** The reviewed commit (the head unless the input names another) and its stats. */
async function readReviewedCommit(
  hearth: Hearth,
  repo: RepoGrant,
  pull: PullRow,
  commit: string | undefined,
): Promise<{ reviewed: Oid; stats: Stats }> {
  const { head_sha, base_sha } = pull
  if (head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')
  const reviewed =
    commit === undefined
      ? head_sha
      : await resolvePullCommit(hearth, repo.store, pull, commit, 'commit')
  const stats =
    reviewed === head_sha
      ? await freshStats(hearth, pull)
      : (await computeStats(hearth, repo, base_sha, reviewed)).stats
  if (!stats) throw conflict('not_ready', 'nothing has been pushed yet')
  return { reviewed, stats }
}

/** Throws 422 at the first comment whose line is not in the reviewed change. */
async function requireLinesInChange(
  { git }: Hearth,
  { store }: RepoGrant,
  merge_base: Oid | null,
  reviewed: Oid,
  lines: readonly ReviewComment[],
): Promise<void> {
  if (lines.length === 0) return
  const paths = lines.map(({ path }) => path)
  const commentable = await commentableLines(git, store, merge_base, reviewed, paths)
  lines.forEach((line, at) => requireInChange(commentable, line, `comments[${at}].`))
}

/**
 * Throws 403 for a verdict on one's own pull request. One's own are those of the caller, of the
 * caller's agents, and, for an agent, of its person. Agents of one person may comment on each
 * other's work but not approve it, because that would be the person's own approval.
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
