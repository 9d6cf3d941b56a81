import { readsRepo } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Nullable, RecordNumber, RepoPath, Type } from '#core/schema.ts'
import { requirePull } from '#features/pulls/index.ts'
import { rateChanges } from './compare-dependencies.ts'
import { DependencyReview } from './schema.ts'
import { findDependencyReview } from './store-reviews.ts'

export const getDependencyReview = operation({
  name: 'get_dependency_review',
  summary:
    'The packages that a pull request adds, removes and updates in lock files, for its page. Null while none are known.',
  route: null,
  access: readsRepo({ scope: 'code:read' }),
  input: Type.Object({ repo: RepoPath, number: RecordNumber }),
  output: Nullable(DependencyReview),

  handler: async ({ db, repo }, { number }) => {
    const pull = requirePull(db, repo.id, number)
    const review = findDependencyReview(db, repo.id, number)
    if (review === null || review.head_sha !== pull.head_sha || review.changes.length === 0)
      return null
    return {
      changes: await rateChanges(db, repo.workspace_id, review.changes),
      left_out: review.left_out,
    }
  },
})
