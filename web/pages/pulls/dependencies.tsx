// All packages that a pull request changes in its lock files. The conversation shows the first ones.
import { getDependencyReview } from '#features/security/index.ts'
import { PageHead } from '../../components/index.ts'
import { pullPath } from '../../paths.ts'
import { page } from '../../site.ts'
import { t } from '../../text.ts'
import { pageOfRows, RowSteps } from '../row-form.tsx'
import { ChangeList } from '../security/on-pull.tsx'
import { loadPullRecord } from './commits.tsx'
import { PullFrame } from './frame.tsx'

/** A package may have many advisories, each with a summary. */
const CHANGES_PER_PAGE = 30

export const pullDependenciesPage = page({
  path: '/:workspace/:repo/pull/:number/dependencies',
  load: async (visit) => {
    const found = await loadPullRecord(visit)
    const review = found && (await visit.tryCall(getDependencyReview, found.target))
    if (!found || !review) return null
    return { ...found, changes: pageOfRows(visit, review.changes, CHANGES_PER_PAGE) }
  },
  view: ({ repo, pull, changes }, visit) => (
    <PullFrame visit={visit} repo={repo} pull={pull} current="conversation">
      <PageHead level={2} title={t('Dependencies')} />
      <ChangeList changes={changes.items} />
      <RowSteps
        list={changes}
        here={`${pullPath(repo.full_name, pull.number)}/dependencies`}
        label={t('Dependencies')}
      />
    </PullFrame>
  ),
})
