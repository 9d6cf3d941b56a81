import { writesRepo } from '#core/access.ts'
import type { SignedIn } from '#core/caller.ts'
import { operation } from '#core/operation.ts'
import { Nullable, OneOf, Type } from '#core/schema.ts'
import type { Hearth } from '#core/hearth.ts'
import { actorOf } from '#features/accounts/index.ts'
import { commentCreated, findRecord, insertComment, isAuthor, manyLines, notBlank, refuseSecrets } from '#features/issues/index.ts'
import { conflict, forbidden, invalid } from '#lib/errors.ts'
import { typeId } from '#lib/typeid.ts'
import { contextOf, subjectOf } from './context.ts'
import { reviewCompleted } from './events.ts'
import { onPull, ShaPrefix } from './inputs.ts'
import { commentableLines, requireInChange, type Line } from './line-comments.ts'
import { reviewRecordOf } from './review-record.ts'
import { answerRequests } from './reviewers.ts'
import { principalOf, principalOfCaller } from './rights.ts'
import { Review, VERDICTS, type Verdict } from './schema.ts'
import { commitOfPull } from './since.ts'
import { computeStats, freshStats } from './stats.ts'
import { isActive, requirePull, type PullRow } from './store.ts'
import { findStats } from './store-stats.ts'
import { insertReview } from './store-reviews.ts'
import { inReview } from './untrusted.ts'

const LineComment = Type.Object({
  path: Type.String({ minLength: 1, maxLength: 4096 }),
  line: Type.Integer({ minimum: 1, description: 'From 1.' }),
  start_line: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: 'The first line, for a comment on several.' }))),
  side: Type.Optional(OneOf(['new', 'old'], { description: 'new unless given.' })),
  body: Type.String({ minLength: 1, maxLength: 65_536, description: 'Markdown.' }),
})

export const reviewPull = operation({
  name: 'review_pull',
  summary: `Review a pull request: approve, request_changes or comment, with comments on lines if you like. Never one's own; it counts only with write. Answers the review and whether it counts.`,
  route: 'POST /repos/{owner}/{name}/pulls/{number}/reviews',
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    verdict: OneOf(VERDICTS),
    body: Type.Optional(Type.String({ maxLength: 65_536, description: 'Markdown; required unless the verdict is approve.' })),
    comments: Type.Optional(Type.Array(LineComment, { maxItems: 300, description: 'Comments on lines; stored with the review or not at all.' })),
    commit: Type.Optional(ShaPrefix('The head that was looked at; the present one unless given.')),
  }),
  output: Review,
  untrusted: inReview,

  handler: async ({ hearth, db, repo, caller, write, now_ms }, { number, body = '', comments = [], commit, ...given }) => {
    const verdict = given.verdict as Verdict
    const pull = requirePull(db, repo.id, number)
    requireMayReview(hearth, caller, pull, verdict)
    if (findRecord(db, repo.id, number)?.locked === 1) {
      if (!repo.can('write')) throw forbidden('locked', `the conversation of #${number} is locked; only people with write may add to it`)
    }
    requireActive(pull)
    if (verdict !== 'approve' && body.trim() === '') throw invalid('body', `a review with the verdict ${verdict} needs a body`)
    const text = body.trim() === '' ? '' : manyLines('body', body)
    refuseSecrets(db, repo.id, 'body', text)
    comments.forEach((comment, at) => refuseSecrets(db, repo.id, `comments[${at}].body`, notBlank(`comments[${at}].body`, comment.body)))
    const { head_sha, base_sha } = pull
    if (head_sha === null) throw conflict('not_ready', 'nothing has been pushed yet')

    const reviewed = commit === undefined ? head_sha : await commitOfPull(hearth, repo.store, pull, commit, 'commit')
    const stats = reviewed === head_sha ? await freshStats(hearth, pull) : (await computeStats(hearth.git, repo.store, base_sha, reviewed)).stats
    if (!stats) throw conflict('not_ready', 'nothing has been pushed yet')
    const lines = comments.map(({ path, line, start_line = null, side }): Line => ({ path, line, start_line, side: side === 'old' ? 'old' : 'new' }))
    if (lines.length > 0) {
      const commentable = await commentableLines(hearth.git, repo.store, stats.merge_base_sha, reviewed, lines.map(({ path }) => path))
      lines.forEach((line, at) => requireInChange(commentable, line, `comments[${at}].`))
    }

    return write((tx) => {
      const now = requirePull(tx.db, repo.id, number)
      requireActive(now)
      const context = contextOf(tx.db, repo.id)
      const subject = subjectOf(context)
      const id = typeId('rvw', now_ms)
      insertReview(tx, {
        id, pull_id: pull.id, author_id: caller.id, verdict, body: text, commit_sha: reviewed, diff_id: stats.diff_id, could_write: repo.can('write') ? 1 : 0,
      })
      tx.append(commentCreated, subject, { number, comment: null, review: id, verdict, path: null, line: null })
      lines.forEach((line, at) => {
        const comment = insertComment(tx, { ...line, repo_id: repo.id, number, author_id: caller.id, body: comments[at]?.body ?? '', commit_sha: reviewed, review_id: id })
        tx.append(commentCreated, subject, { number, comment, review: id, verdict: null, path: line.path, line: line.line })
      })
      answerRequests(tx, now, caller)
      if (caller.kind === 'agent') tx.append(reviewCompleted, subject, { number, review: id, verdict })
      return reviewRecordOf(hearth, now, context, findStats(tx.db, now), id)
    })
  },
})

function requireActive(pull: PullRow): void {
  if (!isActive(pull)) throw conflict('not_open', `#${pull.number} is ${pull.status}`, { status: pull.status })
}

/**
 * One's own is what one wrote, what one's agent wrote, and, for an agent, what it wrote itself. Two agents of one person may
 * talk about each other's work, but not approve it: that would be the person approving their own.
 */
function requireMayReview(hearth: Hearth, caller: SignedIn, pull: PullRow, verdict: Verdict): void {
  const author = actorOf(hearth, pull.author_id)
  const own = caller.id === author.id || (caller.kind === 'user' && isAuthor(hearth, caller, author.id))
  if (own) throw forbidden('role', `#${pull.number} is your own pull request; someone else must review it`)
  if (verdict === 'approve' && author.kind === 'agent' && principalOfCaller(caller) === principalOf(author)) {
    throw forbidden('role', `#${pull.number} was made by an agent of the same person; someone else must approve it`)
  }
}
