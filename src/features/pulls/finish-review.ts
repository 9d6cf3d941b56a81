import { writesRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { OneOf, Type } from '#core/schema.ts'
import { onPull, ShaPrefix } from './inputs.ts'
import { Review, VERDICTS, type Verdict } from './schema.ts'
import { requirePull } from './store.ts'
import { listDrafts } from './store-drafts.ts'
import { inReview } from './untrusted.ts'
import { writeReview } from './write-review.ts'

/** On the website: the same with the comments that were kept for it. */
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
