import { signedIn } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import {
  Issue,
  issueRecords,
  issuesByNumber,
  recordsByRepo,
  type RecordReference,
} from '#features/issues/index.ts'
import { contextOf, Pull, pullRecords, pullsByNumber } from '#features/pulls/index.ts'
import { listVisibleRepos } from './visible-repos.ts'
import { listAssigned, listOwnPulls, listRequestedReviews } from './store.ts'

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
    const seen = (places: readonly RecordReference[]) =>
      places.filter(({ repo_id }) => visible.has(repo_id))
    const [assignedIssues, assignedPulls] = [
      seen(assignedRecords.filter(({ kind }) => kind === 'issue')),
      seen(assignedRecords.filter(({ kind }) => kind === 'pull')),
    ]
    const pull = recordsByRepo(
      [...seen(reviews), ...assignedPulls, ...seen(own)],
      (repo_id, numbers) =>
        pullRecords(hearth, pullsByNumber(db, repo_id, numbers), contextOf(db, repo_id)),
    )
    const issue = recordsByRepo(assignedIssues, (repo_id, numbers) =>
      issueRecords(hearth, issuesByNumber(db, repo_id, numbers)),
    )
    return {
      reviews: seen(reviews).flatMap((one) => pull(one) ?? []),
      assigned: {
        issues: assignedIssues.flatMap((one) => issue(one) ?? []),
        pulls: assignedPulls.flatMap((one) => pull(one) ?? []),
      },
      own: seen(own).flatMap((one) => pull(one) ?? []),
    }
  },
})
