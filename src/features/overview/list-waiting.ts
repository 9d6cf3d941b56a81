import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Issue, issueRecords, issuesByNumber } from '#features/issues/index.ts'
import { contextOf, findPull, Pull, pullRecord } from '#features/pulls/index.ts'
import { seenOf } from './sight.ts'
import { assignedTo, pullsOf, reviewsWanted, type Place } from './store.ts'

/** So many of each kind. */
const MOST = 20

export const listWaiting = operation({
  name: 'list_waiting',
  summary:
    'What waits for you across all repositories: reviews that you are asked for, what you are assigned to, and your own pull requests.',
  route: null,
  access: signedIn({ scope: 'pulls:read' }),
  input: Type.Object({}),
  output: Type.Object({
    reviews: Type.Array(Pull),
    assigned: Type.Object({ issues: Type.Array(Issue), pulls: Type.Array(Pull) }),
    own: Type.Array(Pull),
  }),

  handler: ({ hearth, db, caller }) => {
    const mine = assignedTo(db, caller.id, MOST)
    const reviews = reviewsWanted(db, caller.id, MOST)
    const own = pullsOf(db, caller.id, MOST)
    const seen = seenOf(
      db,
      caller,
      [...mine, ...reviews, ...own].map(({ repo_id }) => repo_id),
    )
    const pulls = (places: readonly Place[]): Pull[] =>
      places.flatMap(({ repo_id, number }) => {
        const row = seen.has(repo_id) ? findPull(db, repo_id, number) : null
        return row ? [pullRecord(hearth, row, contextOf(db, repo_id))] : []
      })
    const issues = mine.flatMap(({ repo_id, number, kind }) =>
      kind === 'issue' && seen.has(repo_id)
        ? issueRecords(hearth, issuesByNumber(db, repo_id, [number]))
        : [],
    )
    return {
      reviews: pulls(reviews),
      assigned: { issues, pulls: pulls(mine.filter(({ kind }) => kind === 'pull')) },
      own: pulls(own),
    }
  },
})
