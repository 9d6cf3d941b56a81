import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { onPull, ShaPrefix } from '../inputs.ts'
import { Review, VERDICTS, type Verdict } from '../schema.ts'
import { requirePull } from '../store-pulls.ts'
import { listDrafts } from './store-drafts.ts'
import { inReview } from '../untrusted-texts.ts'
import { writeReview } from './write-review.ts'

/** Sends a review with its draft comments. Used by the website only. */
export const finishReview = operation({
  name: 'finish_review',
  summary: 'Send a review of a pull request with all comments on lines that were kept for it.',
  route: null,
  toolset: 'pulls',
  access: writesRepo('read', { scope: 'pulls:write' }),
  input: Type.Object({
    ...onPull,
    verdict: OneOf(VERDICTS),
    body: Type.Optional(Type.String({ maxLength: 65_536 })),
    commit: Type.Optional(ShaPrefix('The head that was looked at.')),
  }),
  output: Review,
  untrusted: inReview,

  handler: async (context, { number, body = '', commit, ...given }) => {
    const drafts = listDrafts(
      context.db,
      requirePull(context.db, context.repo.id, number).id,
      context.caller.id,
    )
    return writeReview(context, {
      number,
      verdict: given.verdict as Verdict,
      body,
      commit,
      lines: [],
      drafts,
    })
  },
})
