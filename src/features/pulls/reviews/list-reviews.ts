import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { byPage, pageOf, windowOf } from '#core/page.ts'
import { ListOf, Type } from '#core/schema.ts'
import { contextOf } from '../pull-context.ts'
import { onPull } from '../inputs.ts'
import { reviewRecord } from './review-record.ts'
import { Review } from '../schema.ts'
import { standingsOf } from './review-standing.ts'
import { statsIfAny } from '../changes/stats.ts'
import { requirePull } from '../store-pulls.ts'
import { inReviews } from '../untrusted-texts.ts'

export const listReviews = operation({
  name: 'list_reviews',
  summary:
    'The reviews of a pull request, newest first, each with whether it counts now and why not.',
  keywords: [
    'who approved',
    'reviews of a pull request',
    'approvals',
    'what did the reviewers say',
  ],
  route: 'GET /repos/{owner}/{name}/pulls/{number}/reviews',
  toolset: 'pulls',
  list: 'page',
  listed: 'default',
  access: readsRepo({ scope: 'pulls:read' }),
  input: Type.Object({ ...onPull, ...byPage() }),
  output: ListOf(Review),
  untrusted: inReviews,

  handler: async ({ hearth, db, repo }, { number, ...paging }) => {
    const window = windowOf(paging)
    await statsIfAny(hearth, requirePull(db, repo.id, number))
    const pull = requirePull(db, repo.id, number)
    const stats = await statsIfAny(hearth, pull)
    // All reviews are read, because only the latest verdict of each author counts.
    const all = standingsOf(hearth, pull, contextOf(db, repo.id), stats).reverse()
    return pageOf(
      all
        .slice(window.offset, window.offset + window.limit)
        .map((standing) => reviewRecord(hearth, standing)),
      window,
      all.length,
    )
  },
})
