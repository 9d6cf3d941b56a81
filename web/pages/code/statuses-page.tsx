// All that runs of workflows and other systems report for a commit, page by page.
import { getCommit, getRepo } from '#features/repos/index.ts'
import { Card, EmptyState, PageHead, Pagination } from '../../components/index.ts'
import { pageNumber } from '../../page-number.ts'
import { commitPath, withQuery } from '../../paths.ts'
import { page } from '../../site.ts'
import { RepoFrame, repoOf } from '../repos/frame.tsx'
import {
  byUrgency,
  placesOfFindings,
  StatusCounts,
  statusesOf,
  statusesPath,
  StatusLines,
} from './statuses.tsx'
import { t } from '../../text.ts'

/** A status has a context of up to 255 characters and an address of up to 2,048. */
const PER_PAGE = 50

export const statusesPage = page({
  path: '/:workspace/:repo/commit/:sha/statuses',
  load: async (visit) => {
    const name = repoOf(visit)
    const [repo, commit] = await Promise.all([
      visit.call(getRepo, { repo: name }),
      visit.call(getCommit, { repo: name, ref: visit.params.sha ?? '', per_page: 1 }),
    ])
    const pull = Number(visit.url.searchParams.get('pull'))
    const ofPull = Number.isSafeInteger(pull) && pull > 0 ? pull : undefined
    const places = ofPull === undefined ? null : placesOfFindings(name, ofPull)
    const found = await statusesOf(visit, name, commit.sha, places)
    return {
      repo,
      commit,
      pull: ofPull,
      statuses: found?.statuses ?? [],
      number: pageNumber(visit),
    }
  },
  view: ({ repo, commit, pull, statuses, number }, visit) => {
    const start = (number - 1) * PER_PAGE
    const here = statusesPath(repo.full_name, commit.sha, pull)
    return (
      <RepoFrame visit={visit} repo={repo} title={t('Statuses')} current="code" noindex>
        <PageHead
          title={t('Statuses')}
          lead={<a href={commitPath(repo.full_name, commit.sha)}>{commit.title}</a>}
        />
        {statuses.length === 0 ? (
          <EmptyState icon="check-circle" title={t('No statuses')}>
            {t('What runs of workflows and other systems report for the commit is listed here.')}
          </EmptyState>
        ) : (
          <Card>
            <StatusCounts statuses={statuses} />
            <StatusLines
              statuses={byUrgency(statuses).slice(start, start + PER_PAGE)}
              label={t('Statuses')}
            />
          </Card>
        )}
        <Pagination
          page={number}
          perPage={PER_PAGE}
          total={statuses.length}
          href={(at) => withQuery(here, { page: at })}
        />
      </RepoFrame>
    )
  },
})
