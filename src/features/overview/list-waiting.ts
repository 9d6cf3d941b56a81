import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { Issue, issueRecords, issuesByNumber } from '#features/issues/index.ts'
import { contextOf, findPull, Pull, pullRecord } from '#features/pulls/index.ts'
import { listVisibleRepos } from './visible-repos.ts'
import { listAssigned, listOwnPulls, listRequestedReviews, type RecordReference } from './store.ts'

/** The maximum number of entries in each section. */
const MAX_PER_SECTION = 20

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
    const assignedRecords = listAssigned(db, caller.id, MAX_PER_SECTION)
    const reviews = listRequestedReviews(db, caller.id, MAX_PER_SECTION)
    const own = listOwnPulls(db, caller.id, MAX_PER_SECTION)
    const visible = listVisibleRepos(
      db,
      caller,
      [...assignedRecords, ...reviews, ...own].map(({ repo_id }) => repo_id),
    )
    const pulls = (places: readonly RecordReference[]): Pull[] =>
      places.flatMap(({ repo_id, number }) => {
        const row = visible.has(repo_id) ? findPull(db, repo_id, number) : null
        return row ? [pullRecord(hearth, row, contextOf(db, repo_id))] : []
      })
    const issues = assignedRecords.flatMap(({ repo_id, number, kind }) =>
      kind === 'issue' && visible.has(repo_id)
        ? issueRecords(hearth, issuesByNumber(db, repo_id, [number]))
        : [],
    )
    return {
      reviews: pulls(reviews),
      assigned: { issues, pulls: pulls(assignedRecords.filter(({ kind }) => kind === 'pull')) },
      own: pulls(own),
    }
  },
})
